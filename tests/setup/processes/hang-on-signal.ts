// Preloaded into a server (`--import`): SIGUSR2 blocks its event loop for ever.
process.on('SIGUSR2', () => {
  for (;;);
});
