/**
 * Settles as `value` does, or as `late` once the limit is aborted, which is usually `AbortSignal.timeout`. Nothing is
 * cancelled: the slow work continues unobserved.
 */
export function inTime<Value>(value: Promise<Value>, limit: AbortSignal, late: () => Value): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onLate = () => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    };
    if (limit.aborted) return onLate();
    limit.addEventListener('abort', onLate, { once: true });
    value.then(resolve, reject).finally(() => limit.removeEventListener('abort', onLate));
  });
}
