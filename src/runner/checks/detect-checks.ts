import {
  isModernYarn,
  type NodeProject,
  readManifest,
  readNodeProject,
  readScripts,
} from './node-project.ts';
import { readPythonProject } from './python-project.ts';
import type { RepositoryFiles } from './repository-files.ts';

/** The test script that `npm init` writes. It always fails and checks nothing. */
const PLACEHOLDER = /no test specified/;
const SCRIPTS = ['test', 'build', 'lint', 'typecheck', 'type-check', 'check-types'];

/** Finds the checks of a repository whose config names none, by the manifest files of common build tools. */
export function detectChecks(files: RepositoryFiles): string[] {
  const checks = [
    detectNode,
    detectGo,
    detectRust,
    detectPython,
    detectJava,
    detectRuby,
    detectPhp,
    detectDotnet,
  ];
  const found = checks.flatMap((detect) => detect(files));
  // `make test` mostly calls the same tools, so it is used only if nothing else was found.
  return found.length > 0 ? found : detectMake(files);
}

function detectNode(files: RepositoryFiles): string[] {
  const project = readNodeProject(files);
  if (!project) return [];
  const own = SCRIPTS.filter((name) => isCheck(project.scripts.get(name)));
  if (own.includes('test')) return own.map((name) => `${project.manager} run ${name}`);
  const inPackages = SCRIPTS.filter(
    (name) => !own.includes(name) && project.workspaces.some((scripts) => isCheck(scripts.get(name))),
  );
  return [
    ...own.map((name) => `${project.manager} run ${name}`),
    ...inPackages.map((name) => runInPackages(name, project, isModernYarn(files, project))),
  ];
}

function isCheck(script: string | undefined): boolean {
  return script !== undefined && script.trim() !== '' && !PLACEHOLDER.test(script);
}

function runInPackages(name: string, { manager }: NodeProject, isModern: boolean): string {
  switch (manager) {
    case 'pnpm':
      return `pnpm --recursive --if-present run ${name}`;
    case 'bun':
      return `bun run --filter '*' ${name}`;
    case 'yarn':
      return isModern ? `yarn workspaces foreach --all run ${name}` : `yarn workspaces run ${name}`;
    case 'npm':
      return `npm run ${name} --workspaces --if-present`;
  }
}

function detectGo(files: RepositoryFiles): string[] {
  return files.exists('go.mod') ? ['go test ./...'] : [];
}

function detectRust(files: RepositoryFiles): string[] {
  return files.exists('Cargo.toml') ? ['cargo test'] : [];
}

function detectPython(files: RepositoryFiles): string[] {
  const project = readPythonProject(files);
  if (!project) return [];
  const { manager, usesPytest, unittestDirectory } = project;
  const python = manager ? `${manager} run python` : 'python3';
  if (usesPytest) return [`${python} -m pytest`];
  if (unittestDirectory === undefined) return [];
  return [`${python} -m unittest discover${unittestDirectory === '.' ? '' : ` -s ${unittestDirectory}`}`];
}

function detectJava(files: RepositoryFiles): string[] {
  if (files.exists('pom.xml')) return [`${files.exists('mvnw') ? './mvnw' : 'mvn'} -B -ntp test`];
  if (!files.exists('build.gradle') && !files.exists('build.gradle.kts')) return [];
  return [`${files.exists('gradlew') ? './gradlew' : 'gradle'} --no-daemon test`];
}

function detectRuby(files: RepositoryFiles): string[] {
  if (!files.exists('Gemfile')) return [];
  if (files.exists('.rspec') || files.exists('spec')) return ['bundle exec rspec'];
  return files.exists('Rakefile') && files.exists('test') ? ['bundle exec rake test'] : [];
}

function detectPhp(files: RepositoryFiles): string[] {
  const manifest = readManifest(files, 'composer.json');
  if (isCheck(readScripts(manifest).get('test'))) return ['composer test'];
  const isConfigured = files.exists('phpunit.xml') || files.exists('phpunit.xml.dist');
  return manifest && isConfigured ? ['vendor/bin/phpunit'] : [];
}

function detectDotnet(files: RepositoryFiles): string[] {
  return files.list('.').some((name) => /\.(?:slnx?|[cf]sproj)$/.test(name)) ? ['dotnet test'] : [];
}

function detectMake(files: RepositoryFiles): string[] {
  const makefile = files.read('Makefile') ?? files.read('makefile') ?? files.read('GNUmakefile') ?? '';
  return /^test\s*:(?!=)/m.test(makefile) ? ['make test'] : [];
}
