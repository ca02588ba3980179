// Clicks and submissions: declared events, links that lead away, forms.
import { record, recordAutomatic } from './record.ts';
import { declaredProps } from './declared.ts';

export const interact = (event: MouseEvent): void => {
  if (event.button > 1) return; // the menu of a link is not the link
  const target = event.target as Element;
  const isSubmit = event.type === 'submit';

  const declared = target.closest<HTMLFormElement>('[data-foot]');
  // a form is meant when it is sent, everything else when it is clicked
  if (declared && !declared.elements !== isSubmit)
    record([declared.dataset.foot as string, declaredProps(declared, 'data-foot-')]);

  // Throws where there is neither a form nor a link, and `listen` catches that.
  const link = target.closest<HTMLAnchorElement>('[href]') as HTMLAnchorElement;
  // TRICKY: fields named `action` or `id` shadow form.action and form.id, but not the attributes.
  // Queries carry what forms were filled with, and fragments carry tokens.
  const url = (isSubmit ? target.getAttribute('action') || target.getAttribute('id') : link.href)?.split(
    /[?#]/,
  )[0] as string;
  if (isSubmit) {
    if (!target.closest('[method=dialog]')) recordAutomatic('form_submit', { props: { action: url } });
  } else
    recordAutomatic(
      link.host
        ? /\.(csv|doc|exe|pdf|ppt|xls|zip|dmg|mp.)x?$/i.test(url) || link.closest('[download]')
          ? 'file_download'
          : link.host !== location.host && 'outbound_link'
        : /^mail/.test(url)
          ? 'email_link' // to whom would be somebody's name
          : /^tel/.test(url) && 'phone_link',
      link.host && { props: { url } },
    );
};
