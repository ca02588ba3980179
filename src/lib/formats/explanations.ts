// The sentences of tooltips: what a metric or a channel counts. They are loaded when the first one is asked for.
import type { Channel } from '../../../server/vocabulary/questions/channels.ts';
import { METRICS, type Metric } from '../../../server/vocabulary/numbers/metrics.ts';
import { readKnownName } from '../../../server/vocabulary/questions/names.ts';

export async function explainMetric(metric: Metric): Promise<string> {
  const { METRIC_EXPLANATIONS } = await import('../../../server/vocabulary/numbers/explanations.ts');
  return METRIC_EXPLANATIONS[readKnownName(METRICS, metric).row];
}

/** Returns '' for a channel that only older versions had. */
export async function explainChannel(channel: string): Promise<string> {
  const { CHANNELS } = await import('../../../server/vocabulary/questions/channels.ts');
  return Object.hasOwn(CHANNELS, channel) ? CHANNELS[channel as Channel] : '';
}
