// Paths in half-unit steps, each relative to the point before: a quarter of the bytes. Rings that shrink to nothing are left out.

/** Takes the path of d3-geo. */
export function shorten(path) {
  const rings = (path ?? '')
    .split('Z')
    .filter(Boolean)
    .map((ring) =>
      ring
        .slice(1)
        .split('L')
        .map((point) => point.split(',').map((n) => Math.round(n * 2))),
    );
  let from = [0, 0];
  return rings
    .map((ring) => ring.filter((point, i) => i === 0 || point[0] !== ring[i - 1][0] || point[1] !== ring[i - 1][1]))
    .filter((ring) => ring.length > 3)
    .map((ring) => {
      const steps = ring.map(([x, y]) => {
        const step = `${x - from[0]} ${y - from[1]}`;
        from = [x, y];
        return step;
      });
      from = ring[0];
      return `m${steps[0]}l${steps.slice(1).join(' ').replaceAll(' -', '-')}z`;
    })
    .join('');
}
