/** The build converts the API spec to JSON, so that no YAML parser is needed at run time. */
declare module '*.yaml' {
  const json: string;
  export default json;
}
