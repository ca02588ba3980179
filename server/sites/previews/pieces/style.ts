// How a piece looks. It has the fonts of the reader's system: a font of its own would cost the page around it more than all the rest.
import { customColours } from '../colours.ts';

const scale = Array.from({ length: 6 }, (_, step) => `.n${step}{fill:var(--n${step})}`).join('');

/** The page around the frame may say the theme: see src/embed/piece.ts. Without a `color-scheme`, browsers leave the frame's corners transparent. */
export const PIECE_STYLE = `
:root{--good:#0b7a54;--bad:#b3382c;${customColours('light')}}
@media(prefers-color-scheme:dark){:root:not([data-theme=light]){--good:#46cb96;--bad:#f08a7c;${customColours('dark')}}}
:root[data-theme=dark]{--good:#46cb96;--bad:#f08a7c;${customColours('dark')}}
*{box-sizing:border-box;margin:0}
html,body{background:transparent}
body{color:var(--ink);font:400 14px/20px system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;overflow:hidden}
main{display:flex;flex-direction:column;gap:10px;padding:14px 16px 12px;border:1px solid var(--edge);border-radius:12px;background:var(--back)}
header{display:flex;flex-wrap:wrap;align-items:baseline;gap:2px 12px}
h1{overflow:hidden;max-width:100%;font-size:14px;font-weight:600;text-overflow:ellipsis;white-space:nowrap}
header>p,footer,.times,.levels{color:var(--soft);font-size:12px}
header>.total{display:flex;align-items:baseline;gap:10px;width:100%;color:var(--ink);font-size:14px}
.total b{font-size:28px;line-height:34px;font-weight:600;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
.total i{font-style:normal;font-size:.8em}
.good{color:var(--good)}.bad{color:var(--bad)}.same{color:var(--soft)}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
svg{display:block}
.l{fill:none;stroke:var(--line);stroke-width:2;stroke-linejoin:round;stroke-linecap:round;vector-effect:non-scaling-stroke}
.open{stroke-dasharray:2 5}
.w{fill:var(--wash)}
.g{stroke:var(--edge);vector-effect:non-scaling-stroke}
.e{stroke:var(--back);stroke-width:.6}${scale}
.spots rect{fill:transparent}.spots rect:hover{fill:var(--ink);fill-opacity:.07}
.spark svg{width:100%;height:56px;overflow:visible}
.minutes rect{fill:var(--line);fill-opacity:.75}
.plot{display:grid;grid-template-columns:auto 1fr;gap:6px 10px}
.plot svg{width:100%;height:168px;overflow:visible}
.levels{display:flex;flex-direction:column;justify-content:space-between;margin:-9px 0;text-align:end;font-variant-numeric:tabular-nums}
.times{display:flex;grid-column:2;direction:ltr;justify-content:space-between}
ol{padding:0;list-style:none}
li{position:relative;display:flex;align-items:center;gap:12px;height:34px;padding:0 8px}
.bar{position:absolute;inset:2px 0;width:100%;height:30px}
.bar rect{fill:var(--wash)}
bdi{position:relative;flex:1;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
li b{position:relative;font-weight:600;font-variant-numeric:tabular-nums}
small{margin-inline-start:6px;color:var(--soft);font-size:12px;font-weight:400}
.steps li{height:44px}.steps .bar{height:40px}
.map{width:100%;height:min(240px,50vw)}
.named{display:flex;flex-wrap:wrap;gap:2px 14px;color:var(--soft);font-size:12px}
.empty{padding:18px 0;color:var(--soft)}
.pulse{align-self:center;width:9px;height:9px;border-radius:50%;background:var(--line)}
#more{display:grid;grid-template-columns:repeat(6,minmax(0,1fr));gap:14px 20px}
#more>*{grid-column:span 2}#more>.figures{grid-column:1/-1}#more>.where,#more>.pages{grid-column:span 3}
h2{margin-bottom:4px;font-size:12px;font-weight:600}
[hidden]{display:none}
.figures dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(110px,1fr));gap:2px 20px}
.figures dt,.figures p{color:var(--soft);font-size:12px}
.figures p{min-height:20px}
.figures dd b{font-size:20px;line-height:28px;font-weight:600;letter-spacing:-.01em;font-variant-numeric:tabular-nums}
.figures dd span{white-space:nowrap}
.figures dd i{font-style:normal;font-size:.8em}
#more ol,#more .empty{min-height:170px}#more .empty{padding:7px 0}
.where .named{height:20px;overflow:hidden}
body:has(#more){overflow:auto}
@media(max-width:559px){.figures dl{grid-template-columns:repeat(2,minmax(0,1fr))}#more>*,#more>.pages{grid-column:span 3}#more>.where{grid-column:1/-1}}
footer{display:flex;flex-wrap:wrap;justify-content:space-between;gap:2px 12px}
a{color:inherit;text-decoration:none}
a:hover{text-decoration:underline}
a:focus-visible{outline:2px solid var(--line);outline-offset:2px;border-radius:3px}
@media(prefers-reduced-motion:no-preference){.pulse{animation:pulse 2s ease-in-out infinite}@keyframes pulse{50%{opacity:.35}}}
[dir=rtl] bdi{text-align:right}[dir=rtl] .bar{transform:scaleX(-1)}[dir=rtl] *{letter-spacing:0}
@media print{main{break-inside:avoid}}
`;
