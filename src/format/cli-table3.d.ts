/** The functions that cli-table3 measures, truncates and pads cells with. */
declare module 'cli-table3/src/utils.js' {
  const cellText: object;
  export default cellText;
}
