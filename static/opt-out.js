// The box with which visitors leave themselves out of a site's numbers. The site puts `<script async src="https://HOST/foot.js?opt-out"></script>`
// where the box belongs; `data-label` replaces its words. The tracker reads what this keeps, which is the same for everybody.
(function () {
  var script = document.currentScript;
  var label = document.createElement('label');
  var box = document.createElement('input');
  box.type = 'checkbox';
  label.append(box, ' ' + (script.getAttribute('data-label') || 'Do not count my visits in this browser'));
  try {
    box.checked = localStorage.footfall_ignore === 'true';
  } catch {
    box.disabled = true; // storage is blocked, so nothing could be kept
  }
  box.onchange = function () {
    if (box.checked) localStorage.footfall_ignore = 'true';
    else delete localStorage.footfall_ignore;
  };
  script.after(label);
})();
