// Serves the dashboard from its sources in development, with hot reload. Vite's WebSocket has a port of its own.
import type { StaticFiles } from './static.ts';

export async function openVite(built: StaticFiles): Promise<StaticFiles & { close(): Promise<void> }> {
  const { createServer } = await import('vite');
  const vite = await createServer({ server: { middlewareMode: true } });
  return {
    read: built.read,
    tracker: built.tracker,
    docs: built.docs,
    ...(built.package && { package: built.package }),
    app: (request, response) => vite.middlewares(request, response),
    page: (request, response) => vite.middlewares(request, response), // previews are of no use in development
    close: () => vite.close(),
  };
}
