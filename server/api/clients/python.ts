// Writes the operations of the client for Python into `plugins/python/footfall.py`, below the part that is written by hand.
import { type DescribedOperation, describedApi, type Schema } from './described.ts';

/** The line after which the methods follow. */
const MARK = '    # Generated from the OpenAPI document';

/** `before`: the file as it is, whose part by hand stays. */
export function pythonClient(before: string, command: string): string {
  const [byHand = ''] = before.split(MARK);
  const methods = describedApi().operations.map(methodOf);
  return `${byHand}${MARK} by \`${command}\`; do not edit.\n\n${methods.join('\n\n')}\n`;
}

function methodOf({
  id,
  method,
  path,
  summary,
  fields,
  hasBody,
  takesIdempotencyKey,
  answer,
}: DescribedOperation): string {
  const parameters = fields.map(({ name, schema, isRequired }) =>
    isRequired ? `${name}: ${typeOf(schema)}` : `${name}: Optional[${typeOf(schema)}] = None`,
  );
  if (takesIdempotencyKey) parameters.push('idempotency_key: Optional[str] = None');
  const sent = fields.map(({ name }) => `"${name}": ${name}`);
  const more = [
    ...(hasBody ? ['has_body=True'] : []),
    ...(takesIdempotencyKey ? ['idempotency_key=idempotency_key or str(uuid.uuid4())'] : []),
    ...(answer ? [] : ['is_file=True']),
  ];
  const lines = (entries: string[], end: string) => entries.map((entry) => `            ${entry}${end}\n`).join('');
  return `    def ${snakeCase(id)}(
        self,
${parameters.length > 0 ? '        *,\n' : ''}${parameters.map((one) => `        ${one},\n`).join('')}    ) -> ${answer ? 'Dict[str, Any]' : 'bytes'}:
        """${summary}."""
        sent = {
${lines(sent, ',')}        }
        return self._ask(${[`"${method}"`, `"${path}"`, 'sent', ...more].join(', ')})`;
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function typeOf({ type, items }: Schema): string {
  if (type === 'integer') return 'int';
  if (type === 'number') return 'float';
  if (type === 'boolean') return 'bool';
  if (type === 'array') return `Sequence[${typeOf(items ?? {})}]`;
  if (type === 'object') return 'Mapping[str, Any]';
  return type === 'string' ? 'str' : 'Any';
}
