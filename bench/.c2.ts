import { readFileSync } from 'node:fs';
import { canonicalJson } from '#contract/canonical-json.ts';
const msg = JSON.parse(readFileSync('/work/shared/provider/rabbit__message.json','utf8'));
function sortKeys(keys: string[]): string[] { for (let i = 1; i < keys.length; i++) { const key = keys[i] as string; let at = i; for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string; keys[at] = key; } return keys; }
type L={from:string[],to:string[],prefix:string[]}; const layouts: (L[]|undefined)[]=[];
function same(a:string[],b:string[]){ for(let i=0;i<a.length;i++) if(a[i]!==b[i]) return false; return true; }
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;
function quote(text: string): string { return text.length < 128 && PLAIN.test(text) ? `"${text}"` : JSON.stringify(text); }
function layout(v: object): L { const keys=Object.keys(v); let ls=layouts[keys.length]; if(ls===undefined) layouts[keys.length]=ls=[]; for(const l of ls) if(same(l.from,keys)) return l; const to=sortKeys(keys.slice()); const l={from:keys,to,prefix:to.map((k,i)=>(i?',':'')+quote(k)+':')}; if(ls.length<8) ls.push(l); return l; }
function isPlain(value: unknown): boolean { if (typeof value === 'number') return Number.isFinite(value); return typeof value === 'string' || typeof value === 'boolean' || value === null; }
function isCanonicalList(list: readonly unknown[]): boolean { for (const item of list) { if (!isPlain(item)) { if (typeof item !== 'object' || item === null || Array.isArray(item)) return false; let previous = ''; for (const key in item) { if (key < previous || !isPlain((item as any)[key])) return false; previous = key; } } } return true; }
function w(value: any, depth: number): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') { if(!Number.isFinite(value)) throw 1; return String(value); }
  if (value===null) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (depth===0) throw 1;
  if (Array.isArray(value)) { if (value.length===0) return '[]'; if (isCanonicalList(value)) return JSON.stringify(value); let s='['; for(let i=0;i<value.length;i++){ if(i) s+=','; s+=w(value[i],depth-1);} return s+']'; }
  const l=layout(value); let s='{'; const {to,prefix}=l; for(let i=0;i<to.length;i++){ s+=prefix[i]; s+=w(value[to[i]!],depth-1); } return s+'}';
}
const canon=(v:any)=>w(v,64);
// variant: split plain fields to JSON.stringify? 
console.log(canon(msg)===canonicalJson(msg));
const bench=(name:string,f:(m:any)=>any,m=msg)=>{ for (let i=0;i<20000;i++) f(m); let best=1e9; for(let r=0;r<10;r++){ const t=process.hrtime.bigint(); for (let i=0;i<5000;i++) f(m); best=Math.min(best,Number(process.hrtime.bigint()-t)/5000/1000);} console.log(name.padEnd(20), best.toFixed(2),'us'); };
const s=JSON.stringify(msg);
for (let i=0;i<2;i++){ bench('parse',()=>JSON.parse(s)); bench('stringify',JSON.stringify); bench('now',canonicalJson); bench('layouts',canon);}
const lists=[msg.data.event.details,...msg.data.event.participants.map((p:any)=>p.results)];
bench('lists check',()=>lists.map(isCanonicalList)); bench('lists stringify',()=>lists.map((l:any)=>JSON.stringify(l)));
