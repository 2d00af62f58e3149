import type { TestCounts } from '../../../core/contracts/verification.ts';
import { listFailing, sumCounts, type TestCountReader } from './test-count-reader.ts';
import { readXmlTags, type XmlTag } from './xml-tags.ts';

export const junitXmlCounts: TestCountReader = { name: 'junit-xml', read };

/** The sum of all reports that a test run wrote. */
export function readJunitFiles(texts: readonly string[]): TestCounts | undefined {
  return sumCounts(texts.map(read).filter((counts) => counts !== undefined));
}

/** Counts the test cases themselves, because the totals in the suites' attributes differ from tool to tool. */
function read(output: string): TestCounts | undefined {
  if (!output.includes('<testsuite')) return undefined;
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failing: string[] = [];
  let suites = 0;
  let open: { tag: XmlTag; failed: boolean; skipped: boolean } | undefined;

  const close = () => {
    if (!open) return;
    // A test that is both skipped and failed is a todo, which is not expected to pass.
    if (open.skipped) counts.skipped += 1;
    else if (open.failed) {
      counts.failed += 1;
      failing.push(nameOf(open.tag));
    } else counts.passed += 1;
    open = undefined;
  };

  for (const tag of readXmlTags(output)) {
    if (tag.name === 'testsuite' || tag.name === 'testsuites') suites += 1;
    if (tag.name === 'testcase') {
      close();
      if (tag.kind !== 'close') open = { tag, failed: false, skipped: false };
      if (tag.kind === 'empty') close();
    } else if (open && tag.kind !== 'close') {
      if (tag.name === 'failure' || tag.name === 'error') open.failed = true;
      if (tag.name === 'skipped') open.skipped = true;
    }
  }
  close();
  return suites > 0 ? { ...counts, failing: listFailing(failing) } : undefined;
}

function nameOf(tag: XmlTag): string {
  const group = tag.attributes.get('classname') ?? '';
  const name = tag.attributes.get('name') ?? '';
  return group === '' ? name : `${group} > ${name}`;
}
