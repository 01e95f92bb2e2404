#!/usr/bin/env node
/** The command `swingbridge` (D-8); `swingbridge rehearse --help` says how it is used. */

import * as native from '../native/native.js';

// The command hears the signals itself, after the handlers that are there. That of Node would raise the
// signal again, which the command would hear again, without an end; this one takes its place.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

process.exitCode = native.rehearsalCommand(['swingbridge', ...process.argv.slice(2)]);
