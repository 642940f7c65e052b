//===- PageStyle.h - Style of the page --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The style sheet, in light and in dark. A, B and C have one colour each on the
// whole page; red says what sets the time and is used for nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EXPLAIN_PAGESTYLE_H
#define TC_LIB_EXPLAIN_PAGESTYLE_H

namespace tc::explain {

inline constexpr const char *pageStyle = R"css(
:root {
  color-scheme: light dark;
  --page: #f7f7f5; --card: #ffffff; --ink: #1a1e24; --soft: #59626e;
  --faint: #8b939d; --rule: #e1e3e6; --bar: #aab3bf; --bar-chosen: #46515f;
  --a: #2b6cd4; --b: #b8590f; --c: #1d8257; --limit: #c81e4f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101317; --card: #181c22; --ink: #e8ebef; --soft: #a3adb9;
    --faint: #77818d; --rule: #2b323b; --bar: #4d5865; --bar-chosen: #a9b4c2;
    --a: #74a9ff; --b: #f0a35a; --c: #5cc795; --limit: #ff5f8c;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue",
    Arial, sans-serif;
  -webkit-text-size-adjust: 100%;
}
main { max-width: 1080px; margin: 0 auto; padding: 2rem 1rem 4rem; }
code, .formula, .mono {
  font-family: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas,
    "DejaVu Sans Mono", "Liberation Mono", monospace;
}
header.page { margin-bottom: 1.5rem; }
header.page ol { margin: .5rem 0 0; padding-left: 1.5rem; }
a { color: var(--a); }
section + section {
  margin-top: 3.5rem; padding-top: 2.5rem; border-top: 1px solid var(--rule);
}
.eyebrow { margin: 0; color: var(--soft); font-size: .875rem; }
h1 {
  margin: .25rem 0 .75rem; font-weight: 600; overflow-wrap: anywhere;
  font-size: clamp(1.2rem, 4.2vw, 1.9rem); line-height: 1.3;
}
h1 .a, .tensor.a { color: var(--a); fill: var(--a); }
h1 .b, .tensor.b { color: var(--b); fill: var(--b); }
h1 .c, .tensor.c { color: var(--c); fill: var(--c); }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.125rem; font-weight: 600; }
.verdict { margin: 0 0 1.5rem; max-width: 46rem; font-size: 1.0625rem; }
dl.facts {
  display: grid; gap: .75rem; margin: 0;
  grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr));
}
dl.facts > div, figure, .scroll, .reasons, .listing {
  background: var(--card); border: 1px solid var(--rule); border-radius: 10px;
}
dl.facts > div { padding: .7rem .9rem .8rem; }
dl.facts dt { color: var(--soft); font-size: .8125rem; }
dl.facts dd { margin: 0; }
dl.facts .figure {
  font-size: 1.4rem; font-weight: 600; line-height: 1.35; white-space: nowrap;
}
dl.facts .words { font-size: 1.1rem; line-height: 1.4; white-space: normal; }
dl.facts .note { color: var(--soft); font-size: .8125rem; line-height: 1.4; }
.is-limit { color: var(--limit); }
.meter {
  height: 5px; margin: .3rem 0 .35rem; border-radius: 3px; overflow: hidden;
  background: var(--rule);
}
.meter i { display: block; height: 100%; background: var(--ink); }
.figures { columns: 24rem 2; column-gap: 1rem; margin-top: 1rem; }
figure { margin: 0 0 1rem; padding: 1rem 1rem .9rem; break-inside: avoid; }
figure h3 { margin: 0 0 .5rem; font-size: .9375rem; font-weight: 600; }
figcaption {
  margin-top: .5rem; color: var(--soft); font-size: .8125rem; line-height: 1.5;
}
.key { display: inline-block; margin-right: .7rem; color: var(--ink); }
.key i {
  display: inline-block; width: .8em; height: .8em; margin-right: .4em;
  border-radius: 2px; vertical-align: -.05em;
}
svg { display: block; width: 100%; height: auto; }
svg text {
  fill: var(--ink); font-size: 12.5px;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif;
}
svg .code {
  font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono",
    "Liberation Mono", monospace;
}
svg .strong { font-weight: 600; font-size: 13px; }
svg .small, svg .label { fill: var(--soft); }
svg .label.chosen { fill: var(--ink); font-weight: 600; }
svg .label.limit { fill: var(--limit); font-weight: 600; }
svg .faint { fill: var(--faint); }
svg .tensor { font-size: 17px; font-weight: 700; }
.set { fill-opacity: .13; stroke-width: 1.5; }
.set.a { fill: var(--a); stroke: var(--a); }
.set.b { fill: var(--b); stroke: var(--b); }
.set.c { fill: var(--c); stroke: var(--c); }
.plane.a, .strip.a { fill: var(--a); }
.plane.b, .strip.b { fill: var(--b); }
.plane.c { fill: var(--c); }
.plane { fill-opacity: .1; }
.strip { fill-opacity: .25; }
.tile.a { fill: var(--a); background: var(--a); }
.tile.b { fill: var(--b); background: var(--b); }
.tile.c, .thread { fill: var(--c); background: var(--c); }
.wave, .warp { fill: var(--c); fill-opacity: .38; }
i.wave, i.warp { background: var(--c); opacity: .38; }
.grid { stroke: var(--card); stroke-width: 1; }
.frame + .grid, .frame ~ .grid { stroke: var(--rule); }
.outline { fill: none; stroke: var(--soft); stroke-width: 1; }
.cut { stroke: var(--soft); stroke-width: 1.5; }
.frame { fill: none; stroke: var(--rule); }
.axis { stroke: var(--faint); }
.bar { fill: var(--bar); background: var(--bar); }
.bar.chosen { fill: var(--bar-chosen); }
.bar.limit { fill: var(--limit); fill-opacity: .55; background: var(--limit); }
.bar.limit.chosen { fill-opacity: 1; }
.roof { fill: none; stroke: var(--ink); stroke-width: 2; }
.roof.l2 { stroke: var(--faint); stroke-width: 1.5; }
.compulsory { stroke: var(--soft); stroke-dasharray: 4 4; }
.point { fill: var(--card); stroke: var(--soft); stroke-width: 1.5; }
.point.chosen { fill: var(--c); stroke: var(--card); stroke-width: 2; }
.point.l2 { fill: none; stroke: var(--c); stroke-width: 2; }
.link { stroke: var(--c); stroke-width: 1; }
svg rect:hover, svg circle:hover { filter: brightness(1.12); }
.scroll { overflow-x: auto; }
table {
  border-collapse: collapse; width: 100%; font-size: .8438rem;
  font-variant-numeric: tabular-nums;
}
th, td { padding: .22rem .9rem; text-align: right; white-space: nowrap; }
th:first-child {
  position: sticky; left: 0; background: var(--card); text-align: left;
  font-weight: 400; color: var(--soft);
}
tbody th.part { padding-left: 2rem; }
thead th { padding-top: .6rem; font-weight: 600; }
tbody th.group {
  padding-top: .8rem; color: var(--ink); font-weight: 600;
}
tbody tr:last-child > * { padding-bottom: .6rem; }
td.chosen, thead th.chosen { background: color-mix(in srgb, var(--c) 9%, transparent); }
.reasons { margin: 0; padding: .3rem .9rem; list-style: none; }
.reasons li {
  display: grid; grid-template-columns: 4.2rem 1fr; gap: .5rem;
  padding: .55rem 0;
}
.reasons li + li { border-top: 1px solid var(--rule); }
.reasons b { font-weight: 600; }
.reasons code {
  display: block; margin-top: .2rem; color: var(--soft); font-size: .78rem;
  overflow-wrap: anywhere;
}
.code-part.multiply { fill: var(--c); background: var(--c); }
.code-part.move { fill: var(--limit); background: var(--limit); }
.code-part.arithmetic { fill: var(--b); background: var(--b); }
.code-part.address { fill: var(--bar); background: var(--bar); }
.code-part.shared { fill: var(--a); background: var(--a); }
.code-part.global { fill: var(--bar-chosen); background: var(--bar-chosen); }
.code-part.spill { fill: var(--ink); background: var(--ink); }
.code-part.rest { fill: var(--faint); background: var(--faint); }
.listing { margin-top: 1rem; }
.listing summary { cursor: pointer; padding: .6rem .9rem; }
.listing pre { margin: 0; padding: 0 .9rem .9rem; font-size: .75rem; }
.search { margin: 1rem 0 0; color: var(--soft); font-size: .8125rem; }
@media (max-width: 30rem) { figure { padding: .8rem .6rem; } }
@media print { body { background: none; } }
)css";

} // namespace tc::explain

#endif // TC_LIB_EXPLAIN_PAGESTYLE_H
