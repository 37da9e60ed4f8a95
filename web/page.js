// Runs in a browser, as part of the page that `petstore serve` serves at /docs.

/** Hides the API key in the curl command that the page shows for a request: people share such commands. */
const hideApiKey = {
  wrapComponents: {
    curl:
      (Curl, { React }) =>
      ({ request, ...props }) => {
        const hide = (value, name) => (/^authorization$/i.test(name) ? 'Bearer <API_KEY>' : value);
        return React.createElement(Curl, { ...props, request: request.update('headers', (all) => all?.map(hide)) });
      },
  },
};

/** Shows 64-bit ids in responses as they were sent. Swagger UI rounds them. */
const showExactNumbers = {
  wrapComponents: {
    responseBody:
      (ResponseBody, { React, getComponent }) =>
      (props) => {
        const code = /json/i.test(props.contentType) && formatJson(props.content);
        if (!code) return React.createElement(ResponseBody, props);
        const options = { language: 'json', downloadable: true, fileName: 'response.json', canCopy: true };
        return React.createElement(
          'div',
          null,
          React.createElement('h5', null, 'Response body'),
          React.createElement(getComponent('HighlightCode', true), options, code),
        );
      },
  },
};

/** Returns indented JSON; undefined if the text is not JSON, or if the browser cannot keep numbers exact. */
function formatJson(text) {
  try {
    const toExact = (_, value, { source }) => (typeof value === 'number' ? JSON.rawJSON(source) : value);
    return JSON.stringify(JSON.parse(text, toExact), null, 2);
  } catch {
    return undefined;
  }
}

/**
 * Leaves optional parameters empty. Swagger UI fills them with their examples: an example of `Idempotency-Key` would give
 * every new pet the key of the first one.
 */
const omitOptionalExamples = {
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update) => (spec) => {
          for (const path of Object.values(spec.paths ?? {})) {
            for (const { parameters = [] } of Object.values(path)) {
              for (const parameter of parameters) if (!parameter.required) delete parameter.example;
            }
          }
          return update(spec);
        },
      },
    },
  },
};

globalThis.SwaggerUIBundle({
  dom_id: '#reference',
  url: '/v1/openapi.json',
  // By default, the page sends the address of the API spec to a validator on another origin.
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  plugins: [hideApiKey, showExactNumbers, omitOptionalExamples],
});
