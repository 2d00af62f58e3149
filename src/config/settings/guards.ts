import type { AnyGuard } from '../../core/contracts/guard.ts';
import { GuardConfig } from '../../guards/guard-config.ts';
import { GUARDS } from '../../guards/registry.ts';
import type { Setting, SettingGroup } from '../setting.ts';

const IDS = GUARDS.map(({ id }) => id);

/** One setting per guard. The guard's own file has its schema, default and words. */
export const guards = {
  schema: GuardConfig,
  allowed: `a map of guard ids to limits; allowed keys: ${IDS.join(', ')}`,
  words: 'When to stop and ask. `off` switches a guard off.',
  keys: Object.fromEntries(GUARDS.map((guard) => [guard.id, settingOf(guard)])),
  isGroup: true,
} satisfies SettingGroup;

function settingOf({ config, allowed, trips }: AnyGuard): Setting {
  return {
    schema: config,
    allowed,
    words: `Trips when ${trips}`,
    // A getter, because only the docs need it and every schema would be made for it.
    get example() {
      return config.parse(undefined);
    },
  };
}
