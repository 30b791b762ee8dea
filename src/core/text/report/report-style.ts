/** The looks of the report page: system fonts, both colour schemes, one column on a phone. */
export const reportStyle = String.raw`
:root{color-scheme:light dark;--bg:#f6f7f9;--card:#fff;--fg:#1b1f24;--dim:#59636e;--line:#d5dae0;--link:#0a58ca;
--person:#b45309;--working:#0a58ca;--ready:#0f766e;--blocked:#59636e;--failed:#c1121f;--done:#1a7f37;--skipped:#6e7781;--soft:#eceff3}
@media (prefers-color-scheme:dark){:root{--bg:#0d1117;--card:#161b22;--fg:#e6edf3;--dim:#9aa5b1;--line:#30363d;--link:#6cb0ff;
--person:#e3a345;--working:#6cb0ff;--ready:#56d4c4;--blocked:#9aa5b1;--failed:#ff7b72;--done:#57d070;--skipped:#8b949e;--soft:#21262d}}
*{box-sizing:border-box}
[hidden]{display:none!important}
html{scroll-padding-top:3.5rem}
body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
header,main{max-width:1400px;margin:0 auto;padding:0 1rem}
h1{font-size:1.35rem;margin:1rem 0 .2rem;overflow-wrap:anywhere}
h2{font-size:1.05rem;margin:1.2rem 0 .5rem}
.dim{color:var(--dim)}
.small{font-size:.86rem}
button,select,input{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.35rem .6rem;max-width:100%}
button{cursor:pointer}
:focus-visible{outline:3px solid var(--link);outline-offset:1px}
a{color:var(--link)}
.bar{display:flex;height:.8rem;border-radius:6px;overflow:hidden;background:var(--soft);margin:.5rem 0}
.bar span{display:block;height:100%}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1rem;margin:0;padding:0;list-style:none}
nav{position:sticky;top:0;z-index:3;background:var(--bg);border-bottom:1px solid var(--line);margin-top:.6rem}
.tabs{display:flex;gap:.25rem;overflow-x:auto;max-width:1400px;margin:0 auto;padding:.4rem 1rem}
.tabs button{border-color:transparent;background:none;white-space:nowrap}
.tabs button[aria-selected=true]{background:var(--card);border-color:var(--line);font-weight:600}
.filters{display:flex;flex-wrap:wrap;gap:.5rem;margin:.8rem 0}
.filters input{flex:1 1 12rem;min-width:0}
.filters select{flex:0 1 auto;min-width:0}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(210px,1fr));gap:.8rem;align-items:start}
.column h2{margin:.2rem 0 .5rem;display:flex;gap:.4rem;align-items:baseline}
.card{display:block;width:100%;text-align:left;background:var(--card);border:1px solid var(--line);border-left:4px solid var(--c,var(--line));border-radius:6px;padding:.5rem .6rem;margin:0 0 .5rem}
.card:hover{border-color:var(--c,var(--dim))}
.card b{display:block;font-weight:600;overflow-wrap:anywhere}
.card span{display:block;overflow-wrap:anywhere}
.wait{background:var(--card);border:1px solid var(--line);border-left:4px solid var(--person);border-radius:6px;padding:.7rem .9rem;margin:0 0 .7rem}
.wait p{margin:.3rem 0;overflow-wrap:anywhere}
code{font:.86rem/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--soft);border-radius:4px;padding:.1rem .35rem;overflow-wrap:anywhere}
.cmds{display:flex;flex-wrap:wrap;gap:.4rem}
.cmds button{padding:.15rem .4rem;background:var(--soft);border-color:transparent;text-align:left}
.cmds code{background:none;padding:0}
.plain{background:none;border:0;padding:0;color:var(--link);text-decoration:underline;text-align:left;overflow-wrap:anywhere}
.s-person{--c:var(--person)}.s-working{--c:var(--working)}.s-ready{--c:var(--ready)}.s-blocked{--c:var(--blocked)}.s-failed{--c:var(--failed)}.s-done{--c:var(--done)}.s-skipped{--c:var(--skipped)}
.mark{color:var(--c,var(--dim));font-weight:700}
.bar .s-person,.bar .s-working,.bar .s-ready,.bar .s-blocked,.bar .s-failed,.bar .s-done,.bar .s-skipped{background:var(--c)}
.tools{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center;margin:.6rem 0}
.view{border:1px solid var(--line);border-radius:8px;background:var(--card);height:min(70vh,760px);min-height:320px;overflow:hidden;touch-action:none}
.view svg{display:block;width:100%;height:100%;cursor:grab}
.node{cursor:pointer}
.node rect{fill:var(--card);stroke:var(--c,var(--line));stroke-width:1.6}
.node.dull{opacity:.18}
.node .edge0{fill:var(--c);stroke:none}
.node.on rect{stroke-width:4}
.node text{fill:var(--fg);font-size:12px}
.node .sub{fill:var(--dim);font-size:10.5px}
.edge{fill:none;stroke:var(--dim);stroke-opacity:.45;stroke-width:1.2}
.edge.on{stroke:var(--link);stroke-opacity:1;stroke-width:2.4}
.scroll{overflow-x:auto}
.gantt{border:1px solid var(--line);border-radius:8px;background:var(--card);padding:.4rem;overflow-x:auto}
.gantt text{fill:var(--fg);font-size:11px}
.gantt .sub{fill:var(--dim)}
.gantt line{stroke:var(--line)}
.gantt rect{cursor:pointer}
.o-ok{fill:var(--working)}.o-review{fill:var(--ready)}.o-bad{fill:var(--failed)}.o-other{fill:var(--person)}
table{border-collapse:collapse;width:100%;background:var(--card);border:1px solid var(--line)}
th,td{text-align:left;padding:.35rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600;color:var(--dim);font-size:.86rem}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.meter{height:.5rem;margin-top:.45rem;min-width:4rem;background:var(--soft);border-radius:4px;overflow:hidden}
.meter span{display:block;height:100%;background:var(--working)}
dialog{background:var(--card);color:var(--fg);border:1px solid var(--line);border-radius:10px;padding:1rem 1.2rem;width:min(640px,calc(100vw - 1.5rem));max-height:88vh;overflow:auto}
dialog::backdrop{background:rgb(0 0 0/.45)}
dialog h2{margin:.1rem 2.4rem .4rem 0;overflow-wrap:anywhere}
dialog dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem .9rem;margin:.6rem 0}
dialog dt{color:var(--dim)}
dialog dd{margin:0;overflow-wrap:anywhere}
.close{position:absolute;top:.7rem;right:.8rem}
footer{max-width:1400px;margin:1.5rem auto;padding:0 1rem;color:var(--dim);font-size:.86rem}
@media (max-width:640px){.columns{grid-template-columns:1fr}.rows thead{display:none}.rows,.rows tbody,.rows tr,.rows td{display:block;width:auto}
.rows td{border:0;padding:.05rem .7rem;text-align:left}.rows td.n{text-align:left}.rows tr{border-bottom:1px solid var(--line);padding:.4rem 0}
.rows td[data-h]:not(:empty)::before{content:attr(data-h) " ";color:var(--dim)}.view{height:60vh}.hide{display:none}}
@media (prefers-reduced-motion:no-preference){.card,.tabs button{transition:border-color .12s,background .12s}}
@media print{nav,.filters,.tools{display:none}section[hidden]{display:block}}
`;
