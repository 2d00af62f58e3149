import type { RepositoryFiles } from '../../../runner/checks/repository-files.ts';
import type { DetectedLanguage, SetUpPart } from '../set-up.ts';
import { findVersion, toolVersions } from '../version-file.ts';

const DEFAULT_JAVA = '21';
/** Where a build file names the Java version that it compiles for. */
const IN_BUILD_FILES: readonly (readonly [string, RegExp])[] = [
  [
    'pom.xml',
    /<(?:maven\.compiler\.release|maven\.compiler\.source|java\.version|release)>(?:1\.)?(\d{1,2})</,
  ],
  [
    'build.gradle',
    /(?:JavaLanguageVersion\.of\(|JavaVersion\.VERSION_(?:1_)?|sourceCompatibility\s{0,9}=\s{0,9}['"]?(?:1\.)?)(\d{1,2})/,
  ],
  ['build.gradle.kts', /(?:JavaLanguageVersion\.of\(|jvmToolchain\(|JavaVersion\.VERSION_(?:1_)?)(\d{1,2})/],
];

export function detectJava(files: RepositoryFiles): DetectedLanguage | undefined {
  const isMaven = files.exists('pom.xml');
  if (!isMaven && !files.exists('build.gradle') && !files.exists('build.gradle.kts')) return undefined;
  const built = IN_BUILD_FILES.find(([file, pattern]) => pattern.test(files.read(file) ?? ''));
  const [, number = DEFAULT_JAVA] = built ? (built[1].exec(files.read(built[0]) ?? '') ?? []) : [];
  const found = findVersion(
    files,
    'Java',
    [{ file: '.java-version', pattern: /^\s*(?:[a-z]+-)?\d/ }, toolVersions('java')],
    number,
  );
  const run = isMaven
    ? `${files.exists('mvnw') ? './mvnw' : 'mvn'} -B -ntp dependency:go-offline`
    : `${files.exists('gradlew') ? './gradlew' : 'gradle'} --no-daemon testClasses`;
  const install: SetUpPart = { kind: 'command', run };
  return {
    summary: `Java (${found.words}) with ${isMaven ? 'Maven' : 'Gradle'}`,
    parts: [
      { kind: 'tool', tool: 'java', version: found.version, cache: isMaven ? 'maven' : 'gradle' },
      install,
    ],
    notes: found.notes,
  };
}
