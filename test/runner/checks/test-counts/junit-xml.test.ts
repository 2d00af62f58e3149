import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readJunitFiles } from '../../../../src/runner/checks/test-counts/junit-xml.ts';

const sample = (name: string) =>
  readFileSync(new URL(`../../../fixtures/test-output/${name}`, import.meta.url), 'utf8');

describe('readJunitFiles', () => {
  test('E-4: several reports are added', () => {
    expect(readJunitFiles([sample('junit-vitest.xml'), sample('junit-pytest.xml')])).toMatchObject({
      passed: 3,
      failed: 5,
      skipped: 4,
    });
  });

  test('a report with a DOCTYPE is refused, the others still count', () => {
    const bomb = '<!DOCTYPE x [<!ENTITY a "aaaa">]><testsuite><testcase name="&a;"/></testsuite>';
    expect(readJunitFiles([bomb])).toBeUndefined();
    expect(readJunitFiles([bomb, '<testsuite><testcase name="a"/></testsuite>'])).toMatchObject({
      passed: 1,
    });
  });

  test('only the predefined entities are read, once', () => {
    const text = '<testsuite><testcase name="&amp;lt; &evil; &#65; &gt;"><error/></testcase></testsuite>';
    expect(readJunitFiles([text])?.failing).toEqual(['&lt; &evil; &#65; >']);
  });

  test('tags in comments, CDATA and attribute values are text', () => {
    const text = `<testsuite><!-- <testcase/> --><testcase name="a > b <c>"><system-out><![CDATA[<failure/>]]></system-out></testcase></testsuite>`;
    expect(readJunitFiles([text])).toEqual({ passed: 1, failed: 0, skipped: 0, failing: [] });
  });

  test('a report cut off in the middle counts what is there', () => {
    const text = '<testsuite><testcase name="a"/><testcase name="b"><failure message="x';
    expect(readJunitFiles([text])).toMatchObject({ passed: 2, failed: 0 });
  });

  test('a suite without tests is zero, no XML is nothing', () => {
    expect(readJunitFiles(['<testsuites/>'])).toEqual({ passed: 0, failed: 0, skipped: 0, failing: [] });
    expect(readJunitFiles(['not xml', ''])).toBeUndefined();
    expect(readJunitFiles([])).toBeUndefined();
  });
});
