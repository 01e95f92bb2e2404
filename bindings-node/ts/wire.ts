/**
 * The shapes of the Responses API that this package reads and writes. They are structural twins of
 * the types of the `openai` package, so that values of either kind fit the other.
 */

/** A function that the model may call. */
export interface FunctionTool {
  type: 'function';
  name: string;
  description?: string | null;
  /** A JSON schema for the arguments. */
  parameters: { [key: string]: unknown } | null;
  strict: boolean | null;
  /** Who may call it; absent for anyone. */
  allowed_callers?: ('direct' | 'programmatic')[] | null;
  async?: boolean;
  defer_loading?: boolean;
  output_schema?: { [key: string]: unknown } | null;
}

/** A strict function tool, as a toolset declares it (B-4). */
export interface StrictFunctionTool extends FunctionTool {
  description: string;
  parameters: { [key: string]: unknown };
  strict: true;
}

/** A call that the model made. */
export interface FunctionToolCall {
  type: 'function_call';
  name: string;
  call_id: string;
  /** JSON text. */
  arguments: string;
  id?: string | undefined;
  /** Only a completed call runs; absent counts as completed. */
  status?: 'in_progress' | 'completed' | 'incomplete' | null | undefined;
  async?: boolean | undefined;
  caller?: { type: 'direct' } | { type: 'program'; caller_id: string } | null | undefined;
  namespace?: string | undefined;
}

/** Marks the end of a prompt prefix that can be reused. */
export interface PromptCacheBreakpoint {
  mode: 'explicit';
  ttl?: '30m' | '12h';
}

export interface InputText {
  type: 'input_text';
  text: string;
  prompt_cache_breakpoint?: PromptCacheBreakpoint | null;
}

/** An image by URL (a data URL as well) or by file id; at least one of them. */
export interface InputImage {
  type: 'input_image';
  image_url?: string | null;
  file_id?: string | null;
  detail?: 'auto' | 'low' | 'high' | 'original' | null;
  prompt_cache_breakpoint?: PromptCacheBreakpoint | null;
}

export interface InputFile {
  type: 'input_file';
  file_data?: string | null;
  file_id?: string | null;
  file_url?: string | null;
  filename?: string | null;
  detail?: 'auto' | 'low' | 'high';
  prompt_cache_breakpoint?: PromptCacheBreakpoint | null;
}

/** What a function may return: text, or a list of content blocks. */
export type FunctionOutput = string | (InputText | InputImage | InputFile)[];

/**
 * The output item of a browser call (B-47): JSON text `{ok, state?, result?|error?}`, followed by the
 * image of `screenshot` and `zoom`.
 */
export interface BrowserCallOutput {
  type: 'function_call_output';
  call_id: string;
  output:
    [{ type: 'input_text'; text: string }] | [{ type: 'input_text'; text: string }, InputImage];
}
