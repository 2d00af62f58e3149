/** Settles as `value` does, or as `late` after `ms`. Nothing is cancelled: the slow work continues unobserved. */
export async function inTime<Value>(value: Promise<Value>, ms: number, late: () => Value): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return Promise.race([value, deadline.then(late)]).finally(() => clearTimeout(timer));
}
