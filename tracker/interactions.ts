// Clicks and submissions: declared events, links that lead away, forms.
import { declaredProps } from './declared.ts';
import { record, recordAutomatic } from './record.ts';

const FILE = /\.(pdf|zip|docx?|xlsx?|pptx?|csv|exe|dmg|mp[34])$/i;

export const interact = (event: MouseEvent): void => {
  if (event.button > 1) return; // the menu of a link is not the link
  const target = event.target as Element;
  const isSubmit = event.type === 'submit';

  const declared = target.closest<HTMLFormElement>('[data-foot]');
  // a form is meant when it is sent, everything else when it is clicked
  if (declared && !declared.elements !== isSubmit) record(declared.dataset.foot as string, declaredProps(declared));

  const link = target.closest<HTMLAnchorElement>('[href]');
  if (isSubmit) {
    // TRICKY: form.action and form.id are shadowed by fields with these names, the attributes are not
    const { action, id } = target.attributes as unknown as Record<string, Attr>;
    recordAutomatic('form_submit', { props: { action: (action || id)?.value.split('?')[0] as string } });
  } else if (link) {
    const url = link.href.split('?')[0] as string; // queries carry what forms were filled with
    if (link.host) {
      if (FILE.test(url)) recordAutomatic('file_download', { props: { url } });
      else if (link.host !== location.host) recordAutomatic('outbound_link', { props: { url } });
    } else if (/^mailto/.test(url))
      recordAutomatic('email_link'); // to whom would be somebody's name
    else if (/^tel/.test(url)) recordAutomatic('phone_link');
  }
};
