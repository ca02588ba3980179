// Clicks and submissions: declared events, links that lead away, forms.
import { declaredProps } from './declared.ts';
import { record, recordAutomatic } from './record.ts';

const FILE = /\.(csv|exe|xlsx?|pdf|zip|docx?|pptx?|dmg|mp.)$/i;

export const interact = (event: MouseEvent): void => {
  if (event.button > 1) return; // the menu of a link is not the link
  const target = event.target as Element;
  const isSubmit = event.type === 'submit';

  const declared = target.closest<HTMLFormElement>('[data-foot]');
  // a form is meant when it is sent, everything else when it is clicked
  if (declared && !declared.elements !== isSubmit) record([declared.dataset.foot as string, declaredProps(declared)]);

  const link = target.closest<HTMLAnchorElement>('[href]');
  if (isSubmit) {
    // TRICKY: form.action and form.id are shadowed by fields with these names, the attributes are not
    const action = target.getAttribute('action') || target.getAttribute('id');
    recordAutomatic('form_submit', { props: { action: action?.split(/[?#]/)[0] as string } });
  } else if (link) {
    const url = link.href.split(/[?#]/)[0] as string; // queries carry what forms were filled with, fragments carry tokens
    if (link.host) {
      if (FILE.test(url)) recordAutomatic('file_download', { props: { url } });
      else if (link.host !== location.host) recordAutomatic('outbound_link', { props: { url } });
    } else if (/^mail/.test(url))
      recordAutomatic('email_link'); // to whom would be somebody's name
    else if (/^tel/.test(url)) recordAutomatic('phone_link');
  }
};
