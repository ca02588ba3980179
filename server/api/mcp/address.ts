// The address of assistants.
export const MCP_PATH = '/mcp';
