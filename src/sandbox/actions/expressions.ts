import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import type { FunctionDefinition } from '@actions/expressions/funcs/info';

/** The names that an expression may use: `github`, `inputs`, `needs` and the like. Any other is an error, as in Actions. */
export type Contexts = Readonly<Record<string, unknown>>;

/** The state of the job or run so far, for `success()`, `failure()`, `always()` and `cancelled()`. */
export interface Status {
  success: boolean;
  failure: boolean;
  cancelled: boolean;
}

const EXPRESSION = /\$\{\{(.*?)\}\}/gs;
const STATUS_CALL = /\b(?:success|failure|always|cancelled)\s*\(/i;

/** Replaces every `${{ … }}`. A name that is missing inside a context is empty, as in Actions. */
export function fillIn(template: string, contexts: Contexts): string {
  return template.replaceAll(EXPRESSION, (_, expression: string) =>
    evaluate(expression, contexts).coerceString(),
  );
}

/** The value of a template that is one expression keeps its type. Any other is a text. */
export function fillInValue(template: unknown, contexts: Contexts): unknown {
  if (typeof template !== 'string') return template;
  const whole = /^\s*\$\{\{((?:(?!\}\}).)*)\}\}\s*$/s.exec(template)?.[1];
  if (whole === undefined) return fillIn(template, contexts);
  return JSON.parse(JSON.stringify(evaluate(whole, contexts), data.replacer)) ?? '';
}

/** Evaluates an `if:`. One without a status function means that everything before has to have succeeded. */
export function isWanted(
  condition: string | boolean | undefined,
  contexts: Contexts,
  status: Status,
): boolean {
  const text = String(condition ?? '').trim() || 'success()';
  const whole = /^\$\{\{((?:(?!\}\}).)*)\}\}$/s.exec(text)?.[1];
  // A text around expressions is a text, which is true.
  if (whole === undefined && text.includes('${{')) return status.success && fillIn(text, contexts) !== '';
  const expression = whole ?? text;
  const asks = STATUS_CALL.test(expression.replaceAll(/'(?:[^']|'')*'/g, "''"));
  return (asks || status.success) && isTrue(evaluate(expression, contexts, status));
}

function evaluate(expression: string, contexts: Contexts, status?: Status): data.ExpressionData {
  const functions = new Map((status ? statusFunctions(status) : []).map((one) => [one.name, one]));
  const { tokens } = new Lexer(expression.trim()).lex();
  const parsed = new Parser(tokens, Object.keys(contexts), [...functions.values()]).parse();
  const known = JSON.parse(JSON.stringify(contexts), data.reviver) as data.Dictionary;
  return new Evaluator(parsed, known, functions).evaluate();
}

function statusFunctions({ success, failure, cancelled }: Status): FunctionDefinition[] {
  return Object.entries({ success, failure, cancelled, always: true }).map(([name, value]) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(value),
  }));
}

function isTrue(value: data.ExpressionData): boolean {
  if (value instanceof data.BooleanData || value instanceof data.NumberData) return Boolean(value.value);
  if (value instanceof data.StringData) return value.value !== '';
  return !(value instanceof data.Null);
}
