import type { ShownPart } from './shown-part.ts';

const words = (text: string) => new Set(text.trim().split(/\s+/));

/**
 * Commands that draw all of their arguments, in the colour, size and place of other text. A list of those that hide text would
 * never be complete: TeX has colours, sizes, shifts, definitions, conditions, tooltips and more.
 */
const DRAWN = words(`
  alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi omicron pi varpi rho varrho
  sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
  aleph beth ell hbar imath jmath Re Im wp partial nabla infty emptyset varnothing angle degree prime top bot triangle
  forall exists nexists neg lnot land lor wedge vee implies iff to gets mapsto therefore because
  cdot cdots ldots dots vdots ddots times div pm mp ast star circ bullet oplus otimes ominus odot cap cup setminus bmod pmod mod
  le leq ge geq ne neq lt gt ll gg approx sim simeq cong equiv propto prec succ perp parallel mid nmid
  in notin ni subset subseteq supset supseteq sqsubseteq vdash models not
  leftarrow rightarrow leftrightarrow Leftarrow Rightarrow Leftrightarrow longrightarrow Longrightarrow uparrow downarrow
  xrightarrow xleftarrow hookrightarrow rightharpoonup
  sum prod coprod int iint iiint oint bigcup bigcap bigvee bigwedge bigoplus bigotimes lim limsup liminf max min sup inf arg
  argmax argmin sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp det dim ker deg gcd hom Pr
  frac dfrac tfrac cfrac binom dbinom tbinom sqrt over choose overline underline overbrace underbrace overset underset stackrel
  hat widehat bar vec dot ddot tilde widetilde acute grave check breve overrightarrow boxed cancel substack
  left right middle big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr langle rangle lfloor rfloor lceil rceil lvert rvert lVert
  rVert vert Vert lbrace rbrace lbrack rbrack backslash
  text textbf textit textrm textsf texttt mathrm mathbf mathit mathsf mathtt mathbb mathcal mathfrak mathscr operatorname boldsymbol
  limits nolimits displaystyle textstyle quad qquad tag begin end
`);
const ENVIRONMENTS = words(
  'matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix cases aligned align align* gathered gather gather* array equation equation* split',
);
const COMMAND = /\\(?:(begin|end)\s*\{([^{}]*)\}|([A-Za-z]+))/g;

/** A formula without its comments. If it may draw less than it says, nothing of it is left. */
export function showMath(content: string): ShownPart {
  let hidden = 0;
  const text = content.replace(/(\\.)|%[^\n]*/g, (_, escaped?: string) => {
    if (escaped === undefined) hidden += 1;
    return escaped ?? '';
  });
  for (const [, , environment, command = 'begin'] of text.matchAll(COMMAND)) {
    const isDrawn = environment === undefined ? DRAWN.has(command) : ENVIRONMENTS.has(environment);
    if (!isDrawn) return { text: '(a formula)', hidden: hidden + 1 };
  }
  return { text, hidden };
}
