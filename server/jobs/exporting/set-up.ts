// What people have set up on a site, for a sealed export, and how another server takes it over: goals, funnels, segments and notes, and the settings
// that numbers depend on.
import { z } from 'zod';
import type { Directory } from '../../directory/open.ts';
import { Refusal } from '../../errors.ts';
import type { Definitions } from '../../sites/definitions/definitions.ts';
import { funnelDefinition, funnels } from '../../sites/definitions/funnels.ts';
import { goalDefinition, goals } from '../../sites/definitions/goals.ts';
import { createNote, listNotes, noteContent } from '../../sites/definitions/notes.ts';
import { createSegment, listSegments } from '../../sites/definitions/segments.ts';
import { changedSettings, settingFields, settingsIn } from '../../sites/settings.ts';
import { configureSite, type Site } from '../../sites/sites.ts';
import { plainFilter } from '../../stats/query.ts';
import type { Trailer } from './frames.ts';
import { MAX_FILTERS } from '../../vocabulary/limits.ts';

export async function setUpOf(directory: Directory, site: Site): Promise<Trailer> {
  const of = { siteId: site.id };
  const plain = <One extends { id: string; name: string; created_at: number }>({
    id,
    name,
    created_at: _,
    ...definition
  }: One) => ({
    id,
    name,
    definition,
  });
  const notes = await listNotes(directory, { ...of, isShared: false });
  return {
    settings: {
      timezone: site.timezone,
      currency: site.currency ?? site.proposed_currency,
      max_amount: site.max_amount,
      settings: settingsIn(site.settings),
    },
    goals: (await goals.list(directory, of)).map(plain),
    funnels: (await funnels.list(directory, of)).map(plain),
    segments: (await listSegments(directory, of)).map(({ id, name, filters }) => ({ id, name, definition: filters })),
    notes: notes.map(({ day, text, is_private, kind }) => ({ day, text, is_private, kind })),
  };
}

const segmentFilters = z.array(plainFilter).min(1).max(MAX_FILTERS);
const settingsSchema = z.object(settingFields).partial();

type TakingOver = { directory: Directory; site: Site; now: number };

/**
 * Gives a site what another one has set up. What it has already stays as it is, and what does not fit is left out: a definition above the limit of
 * the site, for example. Running it again changes nothing. `isNew`: the site has no numbers yet, so that it takes over the settings, too.
 */
export async function takeOver(taking: TakingOver, given: Trailer, { isNew }: { isNew: boolean }): Promise<void> {
  const { directory, site, now } = taking;
  if (isNew) await takeSettings(taking, given.settings);
  const ids = new Map<string, string>();
  await takeDefinitions(taking, { kind: goals, schema: goalDefinition, given: given.goals, ids });
  await takeDefinitions(taking, { kind: funnels, schema: funnelDefinition, given: given.funnels, ids });
  const segments = new Set((await listSegments(directory, { siteId: site.id })).map(({ name }) => name));
  for (const { name, definition } of given.segments) {
    const { data: filters } = segmentFilters.safeParse(withIds(definition, ids));
    if (!filters || segments.has(name)) continue;
    await unlessRefused(createSegment(directory, { siteId: site.id, owner: null, name, filters }, now));
  }
  const notes = new Set((await listNotes(directory, { siteId: site.id, isShared: false })).map(noteKey));
  for (const note of given.notes) {
    const { data: content } = noteContent.safeParse(note);
    if (content && !notes.has(noteKey(content)))
      await unlessRefused(createNote(directory, { siteId: site.id, content }, now));
  }
}

const noteKey = ({ day, text }: { day: string; text: string }) => `${day} ${text}`;

async function takeSettings({ directory, site, now }: TakingOver, given: Trailer['settings']): Promise<void> {
  const { data } = settingsSchema.safeParse(given.settings);
  const settings = data && changedSettings(site.settings, data);
  const { currency, max_amount, timezone } = given;
  const all = { siteId: site.id, currency, max_amount, timezone: timezone ?? undefined, settings };
  await unlessRefused(configureSite(directory, all, now));
}

type Given<Definition> = {
  kind: Definitions<Definition>;
  schema: z.ZodType<Definition>;
  given: Trailer['goals'];
  /** The ids of the other server, with those here. */
  ids: Map<string, string>;
};

async function takeDefinitions<Definition extends object>(
  { directory, site, now }: TakingOver,
  { kind, schema, given, ids }: Given<Definition>,
): Promise<void> {
  const siteId = site.id;
  const own = new Map((await kind.list(directory, { siteId })).map((one) => [one.name, one]));
  for (const { id, name, definition } of given) {
    const { data } = schema.safeParse(withIds(withoutDeleted(definition), ids));
    if (!data) continue;
    const known = own.get(name);
    const made = known ?? (await unlessRefused(kind.create(directory, { siteId, name, definition: data }, now)));
    if (made) ids.set(id, made.id);
  }
}

/** The steps of a funnel remember which goal they were; the goal is not there any more. */
function withoutDeleted(definition: Record<string, unknown>): Record<string, unknown> {
  const { steps } = definition;
  if (!Array.isArray(steps)) return definition;
  return { ...definition, steps: steps.map(({ deleted_goal: _, ...step }: Record<string, unknown>) => step) };
}

/** Ids are long and random, so that they stand for nothing else in a definition. */
function withIds(definition: unknown, ids: ReadonlyMap<string, string>): unknown {
  let text = JSON.stringify(definition);
  for (const [theirs, ours] of ids) text = text.replaceAll(theirs, ours);
  return JSON.parse(text);
}

/** Undefined for what is refused, such as a definition above the limit of a site. */
async function unlessRefused<Value>(work: Promise<Value>): Promise<Value | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
