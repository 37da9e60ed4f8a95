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
