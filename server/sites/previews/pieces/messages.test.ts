import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { followMessages, type Messages } from '../../../vocabulary/habits/messages.ts';
import { valueName } from '../../../vocabulary/questions/value-names.ts';
import { WALL_LIST_NAMES, WALL_LISTS } from '../../../vocabulary/settings/wall.ts';
import { messagesOfPiece } from './messages.ts';

afterEach(() => followMessages(() => ({})));

const answer = (messages: Messages) => followMessages(() => messages);

it('brings along what its script says, in another language than English', () => {
  expect(messagesOfPiece()).toEqual({});
  answer({ Direct: 'Direkt' });
  expect(JSON.parse(messagesOfPiece().messages ?? '')).toMatchObject({ Direct: 'Direkt', Unknown: 'Unknown' });
});

it('brings along everything that src/embed/piece.ts says by itself', () => {
  const script = readFileSync(new URL('../../../../src/embed/piece.ts', import.meta.url), 'utf8');
  const own = [...script.matchAll(/\bt\(\s*'([^']+)'/g)].map(([, text = '']) => text);
  const ofLists = WALL_LIST_NAMES.map((list) => valueName(WALL_LISTS[list].dimension, ''));
  expect(own.length).toBeGreaterThan(1);
  answer({ Direct: 'Direkt' });
  const said = Object.keys(JSON.parse(messagesOfPiece().messages ?? '') as object);
  expect(said.sort()).toEqual([...new Set([...own, ...ofLists])].sort());
});
