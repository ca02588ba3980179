// Clicks and submissions: declared events, outbound links, downloads, forms.
import { record, recordAutomatic } from './record.ts';
import { declaredProps } from './declared.ts';

export const interact = (event: MouseEvent & { submitter?: HTMLButtonElement | null }): void => {
  try {
    // A right click only opens a link's menu. Then `target` is true, which has no `closest`: this throws, which is caught.
    const target = (event.button > 1 || event.target) as Element;
    const isSubmit = event.type > 'd'; // neither `auxclick` nor `click`

    const declared = target.closest<HTMLFormElement>('[data-foot]');
    // a form counts when it is submitted, any other element when it is clicked
    if (declared && !declared.elements !== isSubmit)
      record([declared.dataset.foot as string, declaredProps(declared, 'data-foot-')]);

    // Throws if there is neither a form nor a link, which is caught.
    const link = target.closest<HTMLAnchorElement>('[href]') as HTMLAnchorElement;
    // TRICKY: fields named `action` or `id` shadow form.action and form.id, but not the attributes. The query and the fragment are cut off:
    // they may hold form input and tokens.
    const url = (isSubmit ? target.getAttribute('action') || target.getAttribute('id') : link.href)?.split(
      /\?|#/,
    )[0] as string;
    if (isSubmit) {
      // A form that closes a dialog submits nothing. `formmethod` of the button wins over `method` of the form.
      if (!/dialog/i.test(event.submitter?.formMethod || (target.getAttribute('method') as string)))
        recordAutomatic('form_submit', { props: { action: url } });
    } else
      recordAutomatic(
        link.host
          ? /\.(ppt|xls|mp.|pdf|zip|dmg|csv|doc|exe)x?$/i.test(url) || link.closest('[download]')
            ? 'file_download'
            : link.host !== location.host && 'outbound_link'
          : /^mail/.test(url)
            ? 'email_link' // the address would be personal data
            : /^tel/.test(url)
              ? 'phone_link'
              : '',
        link.host && { props: { url } },
      );
  } catch {
    // one event is lost, and the page goes on
  }
};
