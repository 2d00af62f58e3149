/** The style sheet of all pages: system fonts, light and dark by the system, one column on a phone. */
export const STYLE = `
:root{color-scheme:light dark;
--page:light-dark(#f6f6f4,#111315);--card:light-dark(#fff,#1a1d20);--text:light-dark(#1c2024,#e6e8ea);--dim:light-dark(#575d65,#a4abb3);
--edge:light-dark(#d9dcde,#33383d);--field:light-dark(#fff,#131618);--link:light-dark(#0a58a6,#7db9ff);--button:light-dark(#0a58a6,#2b70bf);
--wait:light-dark(#855000,#f0b65a);--wait-page:light-dark(#fff5e2,#2a2315);--good:light-dark(#19693a,#72d09a);--good-page:light-dark(#cde5d6,#244630);
--bad:light-dark(#a4241a,#ff9388)}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
h1,h2,h3,p,ul,ol,dl,table,fieldset,pre,blockquote,figure{margin:0}
h1{font-size:22px;line-height:1.3}h2{font-size:16px}h3{font-size:15px}
a{color:var(--link)}code,pre,.mono{font:.88em/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
header.top{display:flex;justify-content:space-between;gap:8px 16px;flex-wrap:wrap;max-width:1000px;margin:0 auto;padding:16px 20px 0;font-size:14px;color:var(--dim)}
header.top nav{display:flex;gap:14px}header.top form{display:inline}
main{max-width:1000px;margin:18px auto 64px;padding:0 20px;overflow-wrap:anywhere}main.narrow{max-width:620px}
.stack>*+*{margin-top:14px}.row{display:flex;gap:8px 12px;flex-wrap:wrap;align-items:center}.together{display:flex;gap:8px;align-items:center;flex:0 1 auto;min-width:0}.together select{min-width:0}
.card{background:var(--card);border:1px solid var(--edge);border-radius:8px;padding:16px 18px}
.panel{background:var(--wait-page);border-left:5px solid var(--wait)}
.dim{color:var(--dim)}.small{font-size:13px}.wait{color:var(--wait)}.good{color:var(--good)}.bad{color:var(--bad)}
.tag{border:1px solid currentColor;border-radius:99px;padding:1px 10px;font-size:13px;font-weight:600;white-space:nowrap}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(170px,1fr));gap:12px;padding:0;list-style:none}
.figures li{background:var(--card);border:1px solid var(--edge);border-radius:8px;padding:10px 14px}.figures b{display:block;font-size:20px}
.runs{list-style:none;padding:0;background:var(--card);border:1px solid var(--edge);border-radius:8px}
.runs li{display:grid;grid-template-columns:1fr auto;gap:2px 12px;padding:12px 16px;align-items:center}
.runs li+li{border-top:1px solid var(--edge)}
.between{display:flex;justify-content:space-between;gap:12px;flex-wrap:wrap;align-items:baseline;margin-top:26px}
button,.button{font:inherit;font-weight:600;color:var(--text);background:var(--card);border:1px solid var(--edge);border-radius:6px;padding:6px 14px;cursor:pointer;text-decoration:none;text-align:center;display:inline-block}
.main-button{background:var(--button);border-color:var(--button);color:#fff}
button.plain{border:0;background:none;color:var(--link);padding:0;font-weight:400;text-decoration:underline}
label.field{display:block;font-weight:600}
input.text,textarea,select{font:inherit;color:var(--text);background:var(--field);border:1px solid var(--dim);border-radius:6px;padding:8px 10px}
input.text,textarea{width:100%;max-width:560px;margin-top:4px}
.hint{font-size:13px;color:var(--dim);margin-top:3px}
fieldset.options{border:0;padding:0;display:grid;gap:8px}.options legend{padding:0 0 6px}
.options button{display:grid;grid-template-columns:220px 1fr auto;gap:2px 12px;text-align:left;font-weight:400;width:100%;align-items:baseline}
.options code{color:var(--dim)}
blockquote{border-left:3px solid var(--edge);padding:2px 0 2px 12px;color:var(--dim);white-space:pre-wrap}
.panel blockquote{border-color:var(--wait)}
pre{overflow-x:auto;background:var(--field);border:1px solid var(--edge);border-radius:6px;padding:10px 12px}
pre .add{color:var(--good)}pre .cut{color:var(--bad)}
.icon{width:13px;height:13px;fill:currentColor;vertical-align:-1px}input.search{flex:1;width:auto;margin:0;max-width:340px;min-width:0}
details>summary{cursor:pointer}
.scroll{overflow-x:auto}.scroll:focus-visible{outline-offset:0}
table{border-collapse:collapse;width:100%;font-size:14px;overflow-wrap:break-word}
th{text-align:left;font-size:13px;color:var(--dim);font-weight:600}
th,td{padding:6px 12px 6px 0;border-bottom:1px solid var(--edge);vertical-align:top}tr:last-child td{border-bottom:0}
.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.bars{list-style:none;padding:0;font-size:14px}.bars li{display:grid;grid-template-columns:minmax(100px,240px) 1fr 70px;gap:12px;align-items:center;padding:3px 0}.bars meter{margin:0}
.limits{display:grid;grid-template-columns:repeat(auto-fill,minmax(200px,1fr));gap:10px 22px;font-size:13px}
.limits span{float:right;font-variant-numeric:tabular-nums}meter{display:block;width:100%;height:9px;margin-top:3px}
svg.timeline{display:block;width:100%;min-width:680px;height:auto;font:12px system-ui,sans-serif}
.grid{stroke:var(--edge);fill:none}.axis{fill:var(--dim)}.rate{stroke:var(--good);stroke-width:2;fill:none}.dot{fill:var(--good)}
.turn{fill:var(--good-page)}.baseline{fill:var(--edge)}.held{fill:none;stroke:var(--wait)}.parked{stroke:var(--wait);stroke-dasharray:3 3}
.hatch{stroke:var(--wait);stroke-width:1.2;opacity:.5}.word{fill:var(--text);font-weight:600}.wait-word{fill:var(--wait);font-weight:600}
@media(max-width:600px){.bars li{grid-template-columns:1fr auto}.bars code{grid-column:1/-1}main,header.top{padding-left:12px;padding-right:12px}.runs li{grid-template-columns:1fr}.options button{grid-template-columns:1fr}}
`;
