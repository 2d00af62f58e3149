const words = (text: string) => new Set(text.split(' '));

/** Every element of HTML. Another name between angles is text that somebody meant to write, such as `List<String>`. */
export const ELEMENTS = words(
  'a abbr acronym address applet area article aside audio b base basefont bdi bdo big blink blockquote body br button canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input ins kbd label legend li link listing main map mark marquee math menu menuitem meta meter nav nobr noembed noframes noscript object ol optgroup option output p param picture plaintext pre progress q rb rp rt rtc ruby s samp script search section select slot small source span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr xmp x-note x-math',
);
export const VOID_ELEMENTS = words(
  'area base br col embed frame hr image img input link meta param source track wbr',
);
/** Elements whose content is text for the browser, not markup. GitHub shows an unclosed one as it is written. */
export const RAW_ELEMENTS = words('script style xmp iframe noembed noframes textarea title plaintext');
/** Elements that browsers or GitHub do not show, with their content. */
export const UNSEEN_ELEMENTS = words(
  'script style xmp iframe noembed noframes textarea title plaintext template noscript head object svg math datalist select audio video canvas rp dialog applet frameset',
);
/** Attributes that arrange an element and hold no text. The short ones are our own. */
export const PLAIN_ATTRIBUTES = words(
  'align border cellpadding cellspacing checked class color colspan compact dir disabled height href id lang m n name open rel rowspan size span src start style target type valign width',
);
/** Elements that begin on a new line, with the number of line ends before and after them. */
export const BREAKS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'address article aside blockquote center details div dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header main nav ol p pre section table ul x-note hr'
      .split(' ')
      .map((name) => [name, 2]),
  ),
  ...Object.fromEntries('caption dd dt figcaption li summary tr'.split(' ').map((name) => [name, 1])),
};
/** Elements whose content is quoted, or not visible at once. No command is read there. */
export const QUIET_ELEMENTS = words(
  'blockquote details pre code samp table ul ol li dl h1 h2 h3 h4 h5 h6 x-note x-math',
);
