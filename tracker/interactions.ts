// Clicks and submissions: declared events, links that lead away, forms.
import { record, recordAutomatic } from './record.ts';
import { declaredProps } from './declared.ts';

/** Removes query and fragment: queries can contain form input, fragments can contain tokens. */
const bare = (address: string | null): string => address?.split(/[?#]/)[0] as string;

export const interact = (event: MouseEvent): void => {
  if (event.button > 1) return; // a right click opens the menu, not the link
  const target = event.target as Element;
  const isSubmit = event.type === 'submit';

  const declared = target.closest<HTMLFormElement>('[data-foot]');
  // forms count when they are submitted, everything else when it is clicked
  if (declared && !declared.elements !== isSubmit)
    record([declared.dataset.foot as string, declaredProps(declared, 'data-foot-')]);

  const link = target.closest<HTMLAnchorElement>('[href]');
  if (isSubmit)
    // TRICKY: fields named action or id shadow form.action and form.id, but not the attributes
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
          ? 'email_link' // without the address, which would be personal
          : /^tel/.test(url) && 'phone_link',
      host && { props: { url } },
    );
  }
};
