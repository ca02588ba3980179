// Kinds of user agents that are easily taken for something else: see field.txt.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { recogniseAi } from './ai.ts';
import { botReason } from './bots.ts';
import { parseClient } from './device.ts';

const cases = readFileSync(new URL('field.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [right = '', userAgent = ''] = line.split('\t');
    return { right, userAgent, isOut: right === 'out', isClient: right.includes(' | ') };
  });

const isLeftOut = (userAgent: string) =>
  Boolean(recogniseAi({ userAgent }) ?? botReason({ userAgent, headers: {}, webdriver: false }));

test('there are enough cases of each kind', () => {
  const counts = [
    cases.filter(({ isOut }) => isOut),
    cases.filter(({ isOut }) => !isOut),
    cases.filter(({ isClient }) => isClient),
  ];
  expect(counts.map(({ length }) => length)).toEqual([746, 391, 182]);
});

test('programs and AI agents are left out, whatever they are called, and people are kept', () => {
  expect(cases.filter(({ isOut, userAgent }) => isLeftOut(userAgent) !== isOut)).toEqual([]);
});

test('televisions, headsets, consoles, old phones and small browsers are named', () => {
  const wrong = cases.filter(({ isClient, right, userAgent }) => {
    const { browser, os, device } = parseClient(userAgent, {});
    return isClient && right !== `${browser} | ${os} | ${device}`;
  });
  expect(wrong).toEqual([]);
});
