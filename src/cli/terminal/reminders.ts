/** setTimeout cannot wait longer than about 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

interface Reminders {
  set(timer: string, at: string): void;
  clear(timer: string): void;
  clearAll(): void;
}

/** These timers never keep the process alive, because it may end at any time. */
export function createReminders(now: () => Date, onTime: (timer: string) => void): Reminders {
  const timers = new Map<string, NodeJS.Timeout>();
  const clear = (timer: string) => {
    clearTimeout(timers.get(timer));
    timers.delete(timer);
  };
  const set = (timer: string, at: string) => {
    clear(timer);
    const left = Math.max(0, Date.parse(at) - now().getTime());
    const wait = setTimeout(
      () => (left > LONGEST_MS ? set(timer, at) : onTime(timer)),
      Math.min(left, LONGEST_MS),
    );
    wait.unref();
    timers.set(timer, wait);
  };
  return {
    set,
    clear,
    clearAll() {
      for (const timer of [...timers.keys()]) clear(timer);
    },
  };
}
