// Clicks and submissions: declared events, links that lead away, forms.
import { record, recordAutomatic } from './record.ts';
import { declaredProps } from './declared.ts';

/** Queries carry what forms were filled with, fragments carry tokens. */
const bare = (address: string | null): string => address?.split(/[?#]/)[0] as string;

export const interact = (event: MouseEvent): void => {
  if (event.button > 1) return; // the menu of a link is not the link
  const target = event.target as Element;
  const isSubmit = event.type === 'submit';

  const declared = target.closest<HTMLFormElement>('[data-foot]');
  // a form is meant when it is sent, everything else when it is clicked
  if (declared && !declared.elements !== isSubmit)
    record([declared.dataset.foot as string, declaredProps(declared, 'data-foot-')]);

  const link = target.closest<HTMLAnchorElement>('[href]');
  if (isSubmit)
    // TRICKY: form.action and form.id are shadowed by fields with these names, the attributes are not
    recordAutomatic('form_submit', {
      props: { action: bare(target.getAttribute('action') || target.getAttribute('id')) },
    });
  else if (link) {
    const url = bare(link.href);
    const host = link.host;
    recordAutomatic(
      host
        ? /\.(csv|doc|exe|pdf|ppt|xls|zip|dmg|mp.)x?$/i.test(url) || link.closest('[download]')
          ? 'file_download'
          : host !== location.host && 'outbound_link'
        : /^mail/.test(url)
          ? 'email_link' // to whom would be somebody's name
          : /^tel/.test(url) && 'phone_link',
      host && { props: { url } },
    );
  }
};
