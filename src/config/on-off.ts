import * as z from 'zod';

// YAML 1.1 readers turn a bare `off` into false, and `on` into true.
export const Off = z.literal(['off', false]).transform((): 'off' => 'off');
export const On = z.literal(['on', true]).transform((): 'on' => 'on');
