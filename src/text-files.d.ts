/** The build bundles Markdown pages and completion scripts as text. */
declare module '*.md' {
  const text: string;
  export default text;
}

declare module '*.bash' {
  const text: string;
  export default text;
}

declare module '*/_petstore' {
  const text: string;
  export default text;
}

declare module '*.fish' {
  const text: string;
  export default text;
}

declare module '*.ps1' {
  const text: string;
  export default text;
}

/** The build converts the API spec to JSON, so that no YAML parser is needed at run time. */
declare module '*.yaml' {
  const json: string;
  export default json;
}
