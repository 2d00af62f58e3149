/** The stand-in's own look, plainly not GitHub's. */
export const SITE_STYLE = `
.stand-in{background:repeating-linear-gradient(135deg,var(--wait-page),var(--wait-page) 12px,var(--page) 12px,var(--page) 24px);border-bottom:2px solid var(--wait);padding:8px 20px;font-size:13px;display:flex;gap:8px 18px;flex-wrap:wrap;justify-content:space-between}
.comment{background:var(--card);border:1px solid var(--edge);border-radius:8px}.comment+.comment{margin-top:14px}
.comment>header{display:flex;justify-content:space-between;gap:12px;padding:8px 14px;border-bottom:1px solid var(--edge);font-size:13px;color:var(--dim)}
.comment.bot>header{background:var(--wait-page)}
.text{padding:12px 16px;overflow-wrap:anywhere}.text>*+*{margin-top:10px}.text h3{font-size:17px}.text ul,.text ol{padding-left:24px}
.text li.task{list-style:none;margin-left:-20px}.text table{display:block;overflow-x:auto;width:auto;max-width:100%}.text td,.text th,.text tr:last-child td{border:1px solid var(--edge);padding:4px 10px}.text th{white-space:nowrap}
.text blockquote{white-space:normal}.stack>button{display:block}.text pre{white-space:pre-wrap}.text details{border:1px solid var(--edge);border-radius:6px;padding:6px 12px}.text details>*+*{margin-top:8px}
.alert{border-left:4px solid var(--link);padding-left:12px;color:var(--text)}.alert.warning,.alert.important{border-color:var(--wait)}.alert.caution{border-color:var(--bad)}
.label{border:1px solid var(--edge);border-radius:99px;padding:1px 9px;font-size:12px;font-weight:600;white-space:nowrap}.label.autobuild{color:var(--link)}
.remark{border-left:3px solid var(--link);padding:2px 12px;white-space:pre-wrap}
.log{max-height:70vh;overflow:auto;white-space:pre-wrap}
label.field>:is(input,textarea,select){display:block;margin-top:4px;font-weight:400}
`;
