/** The build makes JSON text of the description, so that nothing needs to read YAML to serve it. */
declare module '*.yaml' {
  const json: string;
  export default json;
}
