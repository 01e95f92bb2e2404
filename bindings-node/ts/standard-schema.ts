/** The Standard Schema interface of validation libraries, as far as a tool needs it. */

/** What zod, valibot, arktype and others implement: a value that validates under `~standard`. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (
      value: unknown,
    ) => StandardSchemaResult<Output> | Promise<StandardSchemaResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    /** Not every library has it. */
    readonly jsonSchema?:
      { readonly input: (options: { target: 'draft-07' }) => Record<string, unknown> } | undefined;
  };
}

/** The value, or what is wrong with it. */
export type StandardSchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };

/** What a schema makes of a valid value. */
export type OutputOf<Schema extends StandardSchema> = NonNullable<
  Schema['~standard']['types']
>['output'];

/** Whether a value has the interface, whatever else it is: some libraries' schemas are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard = (value as Partial<StandardSchema>)['~standard'];
  return typeof standard === 'object' && typeof standard?.validate === 'function';
}
