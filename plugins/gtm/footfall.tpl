___TERMS_OF_SERVICE___

By creating or modifying this file you agree to Google Tag Manager's Community
Template Gallery Developer Terms of Service available at
https://developers.google.com/tag-manager/gallery-tos (or such other URL as
Google may provide), as modified from time to time.


___INFO___

{
  "type": "TAG",
  "id": "cvt_temp_public_id",
  "version": 1,
  "securityGroups": [],
  "displayName": "Footfall",
  "categories": ["ANALYTICS"],
  "brand": {
    "id": "brand_dummy",
    "displayName": "Footfall"
  },
  "description": "Web analytics without cookies: counts the pages of a site, or sends one event.",
  "containerContexts": ["WEB"]
}


___TEMPLATE_PARAMETERS___

[
  {
    "type": "RADIO",
    "name": "kind",
    "displayName": "What the tag does",
    "radioItems": [
      { "value": "pages", "displayValue": "Counts pages: once, on Initialization or All Pages" },
      { "value": "event", "displayValue": "Sends an event" }
    ],
    "simpleValueType": true,
    "defaultValue": "pages"
  },
  {
    "type": "TEXT",
    "name": "site",
    "displayName": "Domain of the site, as in Footfall",
    "simpleValueType": true,
    "valueHint": "example.com",
    "valueValidators": [{ "type": "NON_EMPTY" }],
    "enablingConditions": [{ "paramName": "kind", "paramValue": "pages", "type": "EQUALS" }]
  },
  {
    "type": "TEXT",
    "name": "event",
    "displayName": "Name of the event",
    "simpleValueType": true,
    "valueHint": "signup",
    "valueValidators": [{ "type": "NON_EMPTY" }],
    "enablingConditions": [{ "paramName": "kind", "paramValue": "event", "type": "EQUALS" }]
  },
  {
    "type": "SIMPLE_TABLE",
    "name": "props",
    "displayName": "Properties",
    "help": "Of every page view, or of the event. No personal data.",
    "simpleTableColumns": [
      { "displayName": "Name", "name": "name", "type": "TEXT", "defaultValue": "", "isUnique": true },
      { "displayName": "Value", "name": "value", "type": "TEXT", "defaultValue": "" }
    ]
  },
  {
    "type": "GROUP",
    "name": "order",
    "displayName": "Revenue",
    "groupStyle": "ZIPPY_CLOSED",
    "enablingConditions": [{ "paramName": "kind", "paramValue": "event", "type": "EQUALS" }],
    "subParams": [
      { "type": "TEXT", "name": "amount", "displayName": "Amount", "simpleValueType": true, "valueHint": "19.90" },
      { "type": "TEXT", "name": "currency", "displayName": "Currency", "simpleValueType": true, "valueHint": "EUR" },
      {
        "type": "TEXT",
        "name": "orderId",
        "displayName": "Order number",
        "help": "An order counts once, however often it is reported.",
        "simpleValueType": true
      }
    ]
  },
  {
    "type": "CHECKBOX",
    "name": "waits",
    "checkboxText": "Wait for consent to analytics_storage",
    "help": "Footfall stores nothing in the browser. Choose this if your consent banner names it all the same.",
    "simpleValueType": true,
    "defaultValue": false
  }
]


___SANDBOXED_JS_FOR_WEB_TEMPLATE___

const addConsentListener = require('addConsentListener');
const copyFromWindow = require('copyFromWindow');
const createArgumentsQueue = require('createArgumentsQueue');
const encodeUriComponent = require('encodeUriComponent');
const injectScript = require('injectScript');
const isConsentGranted = require('isConsentGranted');

// Tag Manager sets no attributes of scripts, so the address has them.
const SOURCE = 'https://stats.example.com/foot.js';
const CONSENT = 'analytics_storage';

const props = data.props || [];

function loadScript() {
  let address = SOURCE + '?data-site=' + encodeUriComponent(data.site);
  props.forEach((row) => {
    address += '&data-foot-' + encodeUriComponent(row.name) + '=' + encodeUriComponent(row.value);
  });
  injectScript(address, data.gtmOnSuccess, data.gtmOnFailure, address);
}

function sendEvent() {
  const details = { props: {} };
  props.forEach((row) => {
    details.props[row.name] = row.value;
  });
  if (data.amount) details.revenue = { amount: data.amount, currency: data.currency };
  if (data.orderId) details.order_id = data.orderId;
  // an event that comes before the script waits for it
  const footfall = copyFromWindow('footfall') || createArgumentsQueue('footfall', 'footfall.q');
  footfall(data.event, details);
  data.gtmOnSuccess();
}

const run = data.kind === 'event' ? sendEvent : loadScript;

if (!data.waits || isConsentGranted(CONSENT)) {
  run();
} else {
  let hasRun = false;
  addConsentListener(CONSENT, (type, isGranted) => {
    if (hasRun || !isGranted) return;
    hasRun = true;
    run();
  });
}


___WEB_PERMISSIONS___

[
  {
    "instance": {
      "key": { "publicId": "inject_script", "versionId": "1" },
      "param": [
        {
          "key": "urls",
          "value": {
            "type": 2,
            "listItem": [{ "type": 1, "string": "https://stats.example.com/foot.js?data-site=*" }]
          }
        }
      ]
    },
    "clientAnnotations": { "isEditedByUser": true },
    "isRequired": true
  },
  {
    "instance": {
      "key": { "publicId": "access_globals", "versionId": "1" },
      "param": [
        {
          "key": "keys",
          "value": {
            "type": 2,
            "listItem": [
              {
                "type": 3,
                "mapKey": [
                  { "type": 1, "string": "key" },
                  { "type": 1, "string": "read" },
                  { "type": 1, "string": "write" },
                  { "type": 1, "string": "execute" }
                ],
                "mapValue": [
                  { "type": 1, "string": "footfall" },
                  { "type": 8, "boolean": true },
                  { "type": 8, "boolean": true },
                  { "type": 8, "boolean": false }
                ]
              },
              {
                "type": 3,
                "mapKey": [
                  { "type": 1, "string": "key" },
                  { "type": 1, "string": "read" },
                  { "type": 1, "string": "write" },
                  { "type": 1, "string": "execute" }
                ],
                "mapValue": [
                  { "type": 1, "string": "footfall.q" },
                  { "type": 8, "boolean": true },
                  { "type": 8, "boolean": true },
                  { "type": 8, "boolean": false }
                ]
              }
            ]
          }
        }
      ]
    },
    "clientAnnotations": { "isEditedByUser": true },
    "isRequired": true
  },
  {
    "instance": {
      "key": { "publicId": "access_consent", "versionId": "1" },
      "param": [
        {
          "key": "consentTypes",
          "value": {
            "type": 2,
            "listItem": [
              {
                "type": 3,
                "mapKey": [
                  { "type": 1, "string": "consentType" },
                  { "type": 1, "string": "read" },
                  { "type": 1, "string": "write" }
                ],
                "mapValue": [
                  { "type": 1, "string": "analytics_storage" },
                  { "type": 8, "boolean": true },
                  { "type": 8, "boolean": false }
                ]
              }
            ]
          }
        }
      ]
    },
    "clientAnnotations": { "isEditedByUser": true },
    "isRequired": true
  }
]


___TESTS___

scenarios:
- name: Loads the script with its settings in the address
  code: |-
    let success, failure;
    mock('injectScript', (address, onSuccess, onFailure) => {
      success = onSuccess;
      failure = onFailure;
      onSuccess();
    });
    runCode({ kind: 'pages', site: 'example.com', props: [{ name: 'area', value: 'a&b' }] });
    const address = 'https://stats.example.com/foot.js?data-site=example.com&data-foot-area=a%26b';
    assertApi('injectScript').wasCalledWith(address, success, failure, address);
    assertApi('gtmOnSuccess').wasCalled();
    assertApi('createArgumentsQueue').wasNotCalled();
- name: Says that the script could not be loaded
  code: |-
    mock('injectScript', (address, onSuccess, onFailure) => onFailure());
    runCode({ kind: 'pages', site: 'example.com' });
    assertApi('gtmOnFailure').wasCalled();
    assertApi('gtmOnSuccess').wasNotCalled();
- name: Sends an order to the script that has loaded
  code: |-
    const calls = [];
    mock('copyFromWindow', () => (name, details) => { calls.push([name, details]); });
    runCode({ kind: 'event', event: 'purchase', props: [{ name: 'plan', value: 'pro' }], amount: '19.90', currency: 'EUR', orderId: '1001' });
    assertThat(calls).isEqualTo([
      ['purchase', { props: { plan: 'pro' }, revenue: { amount: '19.90', currency: 'EUR' }, order_id: '1001' }]
    ]);
    assertApi('createArgumentsQueue').wasNotCalled();
    assertApi('injectScript').wasNotCalled();
    assertApi('gtmOnSuccess').wasCalled();
- name: Keeps an event that comes before the script
  code: |-
    const calls = [];
    mock('copyFromWindow', undefined);
    mock('createArgumentsQueue', () => (name, details) => { calls.push([name, details]); });
    runCode({ kind: 'event', event: 'signup' });
    assertApi('createArgumentsQueue').wasCalledWith('footfall', 'footfall.q');
    assertThat(calls).isEqualTo([['signup', { props: {} }]]);
- name: Waits for consent, and runs once
  code: |-
    let listener;
    let loads = 0;
    mock('isConsentGranted', false);
    mock('addConsentListener', (type, changed) => { listener = changed; });
    mock('injectScript', () => { loads += 1; });
    runCode({ kind: 'pages', site: 'example.com', waits: true });
    assertApi('isConsentGranted').wasCalledWith('analytics_storage');
    assertThat(loads).isEqualTo(0);
    listener('analytics_storage', false);
    assertThat(loads).isEqualTo(0);
    listener('analytics_storage', true);
    listener('analytics_storage', false);
    listener('analytics_storage', true);
    assertThat(loads).isEqualTo(1);
- name: Runs at once if consent was given, or need not be
  code: |-
    mock('isConsentGranted', true);
    runCode({ kind: 'pages', site: 'example.com', waits: true });
    assertApi('addConsentListener').wasNotCalled();
    assertApi('injectScript').wasCalled();
setup: ''


___NOTES___

From https://stats.example.com: its address is in the code and in the permission to inject scripts.
