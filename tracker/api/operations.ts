// The operations of the API, with the types of what is sent and answered.
// Generated from the OpenAPI document by `node server/api/clients/regenerate.ts`; do not edit.

type Site = {
  /** Permanent: it stays the same when the domain is edited. */
  id: string;

  /** Equals `data-site` of the tracking snippet. */
  domain: string;

  /** When the site was added (UTC). */
  created_at: string;

  /** True if the site is not paused and an event was recorded in the last 24 hours. */
  tracking: boolean;
};

type Group = {
  id: string;
  name: string;

  /** When the group was made (UTC). */
  created_at: string;

  /** Empty once its last site was deleted or has left the account. */
  site_ids: string[];
};

type GroupStats = {
  data: {
    unique_visitors: number;
    visits: number;
    pageviews: number;

    /** In the order of the group. */
    sites: { site_id: string; domain: string; unique_visitors: number; visits: number; pageviews: number }[];
  };
  meta: { date_from: string; date_to: string };
};

type GroupTimeseries = {
  data: {
    /** The first day of the step. */
    date: string;
    unique_visitors: number;

    /** Null: the step has only imported days, which do not tell the number. */
    visits: number | null;

    /** Null: the step has only imported days, which do not tell the number. */
    pageviews: number | null;
  }[];
  meta: { interval: 'minute' | 'hour' | 'day' | 'week' | 'month'; date_from: string; date_to: string };
};

type Goal =
  | {
      /** Permanent: it stays the same when the name changes. */
      id: string;
      name: string;
      created_at: string;
      kind: 'event';
      event: string;

      /** The event must have all of these values. */
      props: Record<string, string>;
    }
  | {
      /** Permanent: it stays the same when the name changes. */
      id: string;
      name: string;
      created_at: string;
      kind: 'page';

      /** A path, or a pattern: `*` stands for one segment or a part of it, `**` at the end for the rest of the path. */
      page: string;
    }
  | {
      /** Permanent: it stays the same when the name changes. */
      id: string;
      name: string;
      created_at: string;
      kind: 'scroll';

      /** A path, or a pattern: `*` stands for one segment or a part of it, `**` at the end for the rest of the path. */
      page: string;

      /** Scroll depth in per cent of the page. */
      scroll: number;
    }
  | {
      /** Permanent: it stays the same when the name changes. */
      id: string;
      name: string;
      created_at: string;
      kind: 'time';

      /** A path, or a pattern: `*` stands for one segment or a part of it, `**` at the end for the rest of the path. */
      page: string;

      /** Visible time within one page view. */
      seconds: number;
    };

type Funnel = {
  /** Permanent: it stays the same when the name changes. */
  id: string;
  name: string;
  created_at: string;

  /** `visit`: one visit. `day`: all visits of a visitor on one day. */
  within: 'visit' | 'day';

  /** `any_between`: in this order, with anything in between. `strict`: right after one another; another page view or event in between ends the run. `any`: in any order. */
  order: 'any_between' | 'strict' | 'any';
  steps: (
    | {
        /** Id of a goal of the site. */
        goal: string;
      }
    | {
        /** Name of the deleted goal whose condition this step has. */
        deleted_goal?: string | undefined;
        kind: 'event';
        event: string;

        /** The event must have all of these values. */
        props: Record<string, string>;
      }
    | {
        /** Name of the deleted goal whose condition this step has. */
        deleted_goal?: string | undefined;
        kind: 'page';

        /** A path, or a pattern: `*` stands for one segment or a part of it, `**` at the end for the rest of the path. */
        page: string;
      }
    | {
        /** Name of the deleted goal whose condition this step has. */
        deleted_goal?: string | undefined;
        kind: 'scroll';

        /** A path, or a pattern: `*` stands for one segment or a part of it, `**` at the end for the rest of the path. */
        page: string;

        /** Scroll depth in per cent of the page. */
        scroll: number;
      }
    | {
        /** Name of the deleted goal whose condition this step has. */
        deleted_goal?: string | undefined;
        kind: 'time';

        /** A path, or a pattern: `*` stands for one segment or a part of it, `**` at the end for the rest of the path. */
        page: string;

        /** Visible time within one page view. */
        seconds: number;
      }
  )[];
};

type Segment = {
  /** Permanent: it stays the same when the name changes. */
  id: string;
  name: string;
  created_at: string;

  /** All filters must match. */
  filters: {
    /** The dimension, or `prop:KEY` for a property of events. */
    dimension: string;
    operator: 'is' | 'is_not' | 'contains' | 'contains_not';

    /** Any of these values. */
    values: string[];

    /** Goals that the filter names and that were deleted. It goes on counting with their conditions. */
    deleted_goals?:
      | (
          | {
              id: string;
              name: string;
              kind: 'event';
              event: string;

              /** The event must have all of these values. */
              props: Record<string, string>;
            }
          | {
              id: string;
              name: string;
              kind: 'page';

              /** A path, or a pattern: `*` stands for one segment or a part of it, `**` at the end for the rest of the path. */
              page: string;
            }
          | {
              id: string;
              name: string;
              kind: 'scroll';

              /** A path, or a pattern: `*` stands for one segment or a part of it, `**` at the end for the rest of the path. */
              page: string;

              /** Scroll depth in per cent of the page. */
              scroll: number;
            }
          | {
              id: string;
              name: string;
              kind: 'time';

              /** A path, or a pattern: `*` stands for one segment or a part of it, `**` at the end for the rest of the path. */
              page: string;

              /** Visible time within one page view. */
              seconds: number;
            }
        )[]
      | undefined;
  }[];
};

type FunnelFigures = {
  data: {
    /** Permanent: it stays the same when the name changes. */
    id: string;
    name: string;
    created_at: string;

    /** `visit`: one visit. `day`: all visits of a visitor on one day. */
    within: 'visit' | 'day';

    /** `any_between`: in this order, with anything in between. `strict`: right after one another; another page view or event in between ends the run. `any`: in any order. */
    order: 'any_between' | 'strict' | 'any';
    steps: (
      | {
          /** Name of the goal, or the condition in words. */
          name: string;
          visitors: number;
          visits: number;

          /** Percentage of the previous step’s visitors who did not take this one; null for the first step. */
          drop_off: number | null;

          /** Percentage of the first step’s visitors. */
          rate: number;

          /** Median seconds since the previous step; null for the first step, and for a step that nobody took. */
          median_time: number | null;

          /** Only with `compare` or `versus`; null without days to compare with. */
          previous?:
            | {
                visitors: number;
                visits: number;

                /** Percentage of the previous step’s visitors who did not take this one; null for the first step. */
                drop_off: number | null;

                /** Percentage of the first step’s visitors. */
                rate: number;

                /** Median seconds since the previous step; null for the first step, and for a step that nobody took. */
                median_time: number | null;
              }
            | null
            | undefined;

          /** Visitors whose last step this was; null for the last step of the funnel. */
          left: {
            visitors: number;

            /** The next page that they viewed. */
            pages: { page: string; visitors: number }[];

            /** Visitors who viewed no further page. */
            ended: number;
          } | null;

          /** Id of a goal of the site. */
          goal: string;
        }
      | {
          /** Name of the goal, or the condition in words. */
          name: string;
          visitors: number;
          visits: number;

          /** Percentage of the previous step’s visitors who did not take this one; null for the first step. */
          drop_off: number | null;

          /** Percentage of the first step’s visitors. */
          rate: number;

          /** Median seconds since the previous step; null for the first step, and for a step that nobody took. */
          median_time: number | null;

          /** Only with `compare` or `versus`; null without days to compare with. */
          previous?:
            | {
                visitors: number;
                visits: number;

                /** Percentage of the previous step’s visitors who did not take this one; null for the first step. */
                drop_off: number | null;

                /** Percentage of the first step’s visitors. */
                rate: number;

                /** Median seconds since the previous step; null for the first step, and for a step that nobody took. */
                median_time: number | null;
              }
            | null
            | undefined;

          /** Visitors whose last step this was; null for the last step of the funnel. */
          left: {
            visitors: number;

            /** The next page that they viewed. */
            pages: { page: string; visitors: number }[];

            /** Visitors who viewed no further page. */
            ended: number;
          } | null;

          /** Name of the deleted goal whose condition this step has. */
          deleted_goal?: string | undefined;
          kind: 'event';
          event: string;

          /** The event must have all of these values. */
          props: Record<string, string>;
        }
      | {
          /** Name of the goal, or the condition in words. */
          name: string;
          visitors: number;
          visits: number;

          /** Percentage of the previous step’s visitors who did not take this one; null for the first step. */
          drop_off: number | null;

          /** Percentage of the first step’s visitors. */
          rate: number;

          /** Median seconds since the previous step; null for the first step, and for a step that nobody took. */
          median_time: number | null;

          /** Only with `compare` or `versus`; null without days to compare with. */
          previous?:
            | {
                visitors: number;
                visits: number;

                /** Percentage of the previous step’s visitors who did not take this one; null for the first step. */
                drop_off: number | null;

                /** Percentage of the first step’s visitors. */
                rate: number;

                /** Median seconds since the previous step; null for the first step, and for a step that nobody took. */
                median_time: number | null;
              }
            | null
            | undefined;

          /** Visitors whose last step this was; null for the last step of the funnel. */
          left: {
            visitors: number;

            /** The next page that they viewed. */
            pages: { page: string; visitors: number }[];

            /** Visitors who viewed no further page. */
            ended: number;
          } | null;

          /** Name of the deleted goal whose condition this step has. */
          deleted_goal?: string | undefined;
          kind: 'page';

          /** A path, or a pattern: `*` stands for one segment or a part of it, `**` at the end for the rest of the path. */
          page: string;
        }
      | {
          /** Name of the goal, or the condition in words. */
          name: string;
          visitors: number;
          visits: number;

          /** Percentage of the previous step’s visitors who did not take this one; null for the first step. */
          drop_off: number | null;

          /** Percentage of the first step’s visitors. */
          rate: number;

          /** Median seconds since the previous step; null for the first step, and for a step that nobody took. */
          median_time: number | null;

          /** Only with `compare` or `versus`; null without days to compare with. */
          previous?:
            | {
                visitors: number;
                visits: number;

                /** Percentage of the previous step’s visitors who did not take this one; null for the first step. */
                drop_off: number | null;

                /** Percentage of the first step’s visitors. */
                rate: number;

                /** Median seconds since the previous step; null for the first step, and for a step that nobody took. */
                median_time: number | null;
              }
            | null
            | undefined;

          /** Visitors whose last step this was; null for the last step of the funnel. */
          left: {
            visitors: number;

            /** The next page that they viewed. */
            pages: { page: string; visitors: number }[];

            /** Visitors who viewed no further page. */
            ended: number;
          } | null;

          /** Name of the deleted goal whose condition this step has. */
          deleted_goal?: string | undefined;
          kind: 'scroll';

          /** A path, or a pattern: `*` stands for one segment or a part of it, `**` at the end for the rest of the path. */
          page: string;

          /** Scroll depth in per cent of the page. */
          scroll: number;
        }
      | {
          /** Name of the goal, or the condition in words. */
          name: string;
          visitors: number;
          visits: number;

          /** Percentage of the previous step’s visitors who did not take this one; null for the first step. */
          drop_off: number | null;

          /** Percentage of the first step’s visitors. */
          rate: number;

          /** Median seconds since the previous step; null for the first step, and for a step that nobody took. */
          median_time: number | null;

          /** Only with `compare` or `versus`; null without days to compare with. */
          previous?:
            | {
                visitors: number;
                visits: number;

                /** Percentage of the previous step’s visitors who did not take this one; null for the first step. */
                drop_off: number | null;

                /** Percentage of the first step’s visitors. */
                rate: number;

                /** Median seconds since the previous step; null for the first step, and for a step that nobody took. */
                median_time: number | null;
              }
            | null
            | undefined;

          /** Visitors whose last step this was; null for the last step of the funnel. */
          left: {
            visitors: number;

            /** The next page that they viewed. */
            pages: { page: string; visitors: number }[];

            /** Visitors who viewed no further page. */
            ended: number;
          } | null;

          /** Name of the deleted goal whose condition this step has. */
          deleted_goal?: string | undefined;
          kind: 'time';

          /** A path, or a pattern: `*` stands for one segment or a part of it, `**` at the end for the rest of the path. */
          page: string;

          /** Visible time within one page view. */
          seconds: number;
        }
    )[];

    /** With `by`: up to ten values, sorted by visitors of the first step, highest first. */
    breakdown?:
      | {
          page?: string | undefined;
          entry_page?: string | undefined;
          exit_page?: string | undefined;
          hostname?: string | undefined;
          channel?: string | undefined;
          source?: string | undefined;
          referrer?: string | undefined;
          utm_source?: string | undefined;
          utm_medium?: string | undefined;
          utm_campaign?: string | undefined;
          utm_content?: string | undefined;
          utm_term?: string | undefined;
          country?: string | undefined;
          region?: string | undefined;
          city?: string | undefined;
          language?: string | undefined;
          browser?: string | undefined;
          browser_version?: string | undefined;
          os?: string | undefined;
          os_version?: string | undefined;
          device?: string | undefined;
          screen?: string | undefined;
          event?: string | undefined;
          goal?: string | undefined;
          ai_provider?: string | undefined;
          ai_agent?: string | undefined;
          ai_purpose?: string | undefined;
          ai_page?: string | undefined;
          ai_status?: string | undefined;
          steps: {
            visitors: number;
            visits: number;

            /** Percentage of the previous step’s visitors who did not take this one; null for the first step. */
            drop_off: number | null;

            /** Percentage of the first step’s visitors. */
            rate: number;

            /** Median seconds since the previous step; null for the first step, and for a step that nobody took. */
            median_time: number | null;

            /** Only with `compare` or `versus`; null without days to compare with. */
            previous?:
              | {
                  visitors: number;
                  visits: number;

                  /** Percentage of the previous step’s visitors who did not take this one; null for the first step. */
                  drop_off: number | null;

                  /** Percentage of the first step’s visitors. */
                  rate: number;

                  /** Median seconds since the previous step; null for the first step, and for a step that nobody took. */
                  median_time: number | null;
                }
              | null
              | undefined;
          }[];
        }[]
      | undefined;
  };
  meta: { date_from: string; date_to: string };
};

type Stats = {
  /** Left out with `metric=visitors`. */
  pageviews?: number | undefined;

  /** Left out with `metric=pageviews`. */
  unique_visitors?: number | undefined;

  /** Most viewed first, ties by path. */
  top_pages: { path: string; views: number }[];

  /** First day of the period. */
  date_from: string;

  /** Last day of the period. */
  date_to: string;
};

type Timeseries = {
  data: {
    unique_visitors?: number | undefined;

    /** Null: the step has only imported days, which do not tell the number. */
    visits?: number | null | undefined;

    /** Null: the step has only imported days, which do not tell the number. */
    pageviews?: number | null | undefined;

    /** Null: the step has only imported days, which do not tell the number. */
    views_per_visit?: number | null | undefined;

    /** Null: the step has only imported days, which do not tell the number. */
    bounce_rate?: number | null | undefined;

    /** Null: the step has only imported days, which do not tell the number. */
    visit_duration?: number | null | undefined;
    time_on_page?: number | undefined;
    scroll_depth?: number | undefined;
    events?: number | undefined;
    conversions?: number | undefined;
    converted_visitors?: number | undefined;
    conversion_rate?: number | undefined;

    /** Below 0 where refunds exceed payments. */
    revenue?: number | undefined;

    /** Below 0 where refunds exceed payments. */
    revenue_confirmed?: number | undefined;
    orders?: number | undefined;

    /** Below 0 where refunds exceed payments. */
    average_order?: number | undefined;

    /** Below 0 where refunds exceed payments. */
    refunds?: number | undefined;
    implausible_orders?: number | undefined;
    ai_visits?: number | undefined;
    time: string;
  }[];

  /** Only with `compare` or `versus`; null without days to compare with. */
  previous?:
    | {
        unique_visitors?: number | undefined;

        /** Null: the step has only imported days, which do not tell the number. */
        visits?: number | null | undefined;

        /** Null: the step has only imported days, which do not tell the number. */
        pageviews?: number | null | undefined;

        /** Null: the step has only imported days, which do not tell the number. */
        views_per_visit?: number | null | undefined;

        /** Null: the step has only imported days, which do not tell the number. */
        bounce_rate?: number | null | undefined;

        /** Null: the step has only imported days, which do not tell the number. */
        visit_duration?: number | null | undefined;
        time_on_page?: number | undefined;
        scroll_depth?: number | undefined;
        events?: number | undefined;
        conversions?: number | undefined;
        converted_visitors?: number | undefined;
        conversion_rate?: number | undefined;

        /** Below 0 where refunds exceed payments. */
        revenue?: number | undefined;

        /** Below 0 where refunds exceed payments. */
        revenue_confirmed?: number | undefined;
        orders?: number | undefined;

        /** Below 0 where refunds exceed payments. */
        average_order?: number | undefined;

        /** Below 0 where refunds exceed payments. */
        refunds?: number | undefined;
        implausible_orders?: number | undefined;
        ai_visits?: number | undefined;
        time: string;
      }[]
    | null
    | undefined;
  meta: { interval: 'minute' | 'hour' | 'day' | 'week' | 'month'; date_from: string; date_to: string };
};

type Breakdown = {
  /** Each row holds the value of the dimension, under its name, and the metrics. */
  data: {
    page?: string | undefined;
    entry_page?: string | undefined;
    exit_page?: string | undefined;
    hostname?: string | undefined;
    channel?: string | undefined;
    source?: string | undefined;
    referrer?: string | undefined;
    utm_source?: string | undefined;
    utm_medium?: string | undefined;
    utm_campaign?: string | undefined;
    utm_content?: string | undefined;
    utm_term?: string | undefined;
    country?: string | undefined;
    region?: string | undefined;
    city?: string | undefined;
    language?: string | undefined;
    browser?: string | undefined;
    browser_version?: string | undefined;
    os?: string | undefined;
    os_version?: string | undefined;
    device?: string | undefined;
    screen?: string | undefined;
    event?: string | undefined;
    goal?: string | undefined;
    ai_provider?: string | undefined;
    ai_agent?: string | undefined;
    ai_purpose?: string | undefined;
    ai_page?: string | undefined;
    ai_status?: string | undefined;
    unique_visitors?: number | undefined;
    visits?: number | undefined;
    pageviews?: number | undefined;
    views_per_visit?: number | undefined;
    bounce_rate?: number | undefined;
    visit_duration?: number | undefined;
    time_on_page?: number | undefined;
    scroll_depth?: number | undefined;
    events?: number | undefined;
    conversions?: number | undefined;
    converted_visitors?: number | undefined;
    conversion_rate?: number | undefined;

    /** Below 0 where refunds exceed payments. */
    revenue?: number | undefined;

    /** Below 0 where refunds exceed payments. */
    revenue_confirmed?: number | undefined;
    orders?: number | undefined;

    /** Below 0 where refunds exceed payments. */
    average_order?: number | undefined;

    /** Below 0 where refunds exceed payments. */
    refunds?: number | undefined;
    implausible_orders?: number | undefined;
    ai_visits?: number | undefined;

    /** Only with `compare` or `versus`; null without days to compare with. */
    previous?:
      | {
          unique_visitors?: number | undefined;
          visits?: number | undefined;
          pageviews?: number | undefined;
          views_per_visit?: number | undefined;
          bounce_rate?: number | undefined;
          visit_duration?: number | undefined;
          time_on_page?: number | undefined;
          scroll_depth?: number | undefined;
          events?: number | undefined;
          conversions?: number | undefined;
          converted_visitors?: number | undefined;
          conversion_rate?: number | undefined;

          /** Below 0 where refunds exceed payments. */
          revenue?: number | undefined;

          /** Below 0 where refunds exceed payments. */
          revenue_confirmed?: number | undefined;
          orders?: number | undefined;

          /** Below 0 where refunds exceed payments. */
          average_order?: number | undefined;

          /** Below 0 where refunds exceed payments. */
          refunds?: number | undefined;
          implausible_orders?: number | undefined;
          ai_visits?: number | undefined;
        }
      | null
      | undefined;
    [name: `prop:${string}`]: string;
  }[];
  meta: { page: number; per_page: number; total: number; date_from: string; date_to: string };
};

type SearchTerms = {
  data: {
    term: string;
    clicks: number;
    impressions: number;

    /** Clicks divided by impressions, in per cent. */
    click_rate: number;

    /** Average position, weighted by impressions. 1 is the top; 0 without impressions. */
    position: number;

    /** Only with `compare` or `versus`; null without days to compare with. */
    previous?:
      | {
          clicks: number;
          impressions: number;

          /** Clicks divided by impressions, in per cent. */
          click_rate: number;

          /** Average position, weighted by impressions. 1 is the top; 0 without impressions. */
          position: number;
        }
      | null
      | undefined;
  }[];
  meta: {
    page: number;
    per_page: number;
    total: number;
    date_from: string;
    date_to: string;

    /** The newest day that Google has reported. */
    latest_day: string | null;
    totals: {
      clicks: number;
      impressions: number;

      /** Clicks divided by impressions, in per cent. */
      click_rate: number;

      /** Average position, weighted by impressions. 1 is the top; 0 without impressions. */
      position: number;

      /** Only with `compare` or `versus`; null without days to compare with. */
      previous?:
        | {
            clicks: number;
            impressions: number;

            /** Clicks divided by impressions, in per cent. */
            click_rate: number;

            /** Average position, weighted by impressions. 1 is the top; 0 without impressions. */
            position: number;
          }
        | null
        | undefined;
    };

    /** What Google counts without telling the term. */
    withheld: {
      clicks: number;
      impressions: number;

      /** Clicks divided by impressions, in per cent. */
      click_rate: number;

      /** Average position, weighted by impressions. 1 is the top; 0 without impressions. */
      position: number;

      /** Only with `compare` or `versus`; null without days to compare with. */
      previous?:
        | {
            clicks: number;
            impressions: number;

            /** Clicks divided by impressions, in per cent. */
            click_rate: number;

            /** Average position, weighted by impressions. 1 is the top; 0 without impressions. */
            position: number;
          }
        | null
        | undefined;
    };
  };
};

type Reading = {
  data: {
    /** Measured page views: those whose script reported how they were read. */
    views: number;

    /** Median seconds for which these views were visible; 0 without any. */
    time_on_page: number;

    /** Median depth of these views, in per cent of the page; 0 without any. */
    scroll_depth: number;
    reached: {
      /** Per cent of the page: 10, 20, and so on to 100. */
      scroll: number;

      /** Measured page views that were scrolled this far. */
      views: number;

      /** Per cent of the measured page views; 0 without any. */
      share: number;
    }[];
  };
  meta: { date_from: string; date_to: string };
};

type Vitals = {
  /** Each row holds the value of the dimension, under its name, and the 75th percentiles. */
  data: {
    /** Measured page views. */
    views: number;

    /** Largest Contentful Paint: when the largest picture or text was shown. */
    lcp: number | null;

    /** Interaction to Next Paint: how long the page took to answer the slowest of its clicks, taps and keys. */
    inp: number | null;

    /** Cumulative Layout Shift: how far its parts moved without a reason, as a share of the window. */
    cls: number | null;

    /** First Contentful Paint: when anything was shown. */
    fcp: number | null;

    /** Time to First Byte: when the answer of the server began to arrive. */
    ttfb: number | null;

    /** Per cent of the page views that have the vital; all 0 without any. */
    shares: {
      lcp: { good: number; needs_improvement: number; poor: number };
      inp: { good: number; needs_improvement: number; poor: number };
      cls: { good: number; needs_improvement: number; poor: number };
      fcp: { good: number; needs_improvement: number; poor: number };
      ttfb: { good: number; needs_improvement: number; poor: number };
    };
    page?: string | undefined;
    entry_page?: string | undefined;
    hostname?: string | undefined;
    channel?: string | undefined;
    source?: string | undefined;
    referrer?: string | undefined;
    utm_source?: string | undefined;
    utm_medium?: string | undefined;
    utm_campaign?: string | undefined;
    utm_content?: string | undefined;
    utm_term?: string | undefined;
    country?: string | undefined;
    region?: string | undefined;
    city?: string | undefined;
    language?: string | undefined;
    browser?: string | undefined;
    browser_version?: string | undefined;
    os?: string | undefined;
    os_version?: string | undefined;
    device?: string | undefined;
    screen?: string | undefined;
    page_group?: string | undefined;
    lcp_element?: string | undefined;
    inp_element?: string | undefined;
    navigation?: string | undefined;
    connection?: string | undefined;

    /** Only with `compare` or `versus`; null without days to compare with. */
    previous?:
      | {
          /** Measured page views. */
          views: number;

          /** Largest Contentful Paint: when the largest picture or text was shown. */
          lcp: number | null;

          /** Interaction to Next Paint: how long the page took to answer the slowest of its clicks, taps and keys. */
          inp: number | null;

          /** Cumulative Layout Shift: how far its parts moved without a reason, as a share of the window. */
          cls: number | null;

          /** First Contentful Paint: when anything was shown. */
          fcp: number | null;

          /** Time to First Byte: when the answer of the server began to arrive. */
          ttfb: number | null;

          /** Per cent of the page views that have the vital; all 0 without any. */
          shares: {
            lcp: { good: number; needs_improvement: number; poor: number };
            inp: { good: number; needs_improvement: number; poor: number };
            cls: { good: number; needs_improvement: number; poor: number };
            fcp: { good: number; needs_improvement: number; poor: number };
            ttfb: { good: number; needs_improvement: number; poor: number };
          };
        }
      | null
      | undefined;
  }[];
  meta: {
    page: number;
    per_page: number;
    total: number;
    date_from: string;
    date_to: string;
    totals: {
      /** Measured page views. */
      views: number;

      /** Largest Contentful Paint: when the largest picture or text was shown. */
      lcp: number | null;

      /** Interaction to Next Paint: how long the page took to answer the slowest of its clicks, taps and keys. */
      inp: number | null;

      /** Cumulative Layout Shift: how far its parts moved without a reason, as a share of the window. */
      cls: number | null;

      /** First Contentful Paint: when anything was shown. */
      fcp: number | null;

      /** Time to First Byte: when the answer of the server began to arrive. */
      ttfb: number | null;

      /** Per cent of the page views that have the vital; all 0 without any. */
      shares: {
        lcp: { good: number; needs_improvement: number; poor: number };
        inp: { good: number; needs_improvement: number; poor: number };
        cls: { good: number; needs_improvement: number; poor: number };
        fcp: { good: number; needs_improvement: number; poor: number };
        ttfb: { good: number; needs_improvement: number; poor: number };
      };

      /** Only with `compare` or `versus`; null without days to compare with. */
      previous?:
        | {
            /** Measured page views. */
            views: number;

            /** Largest Contentful Paint: when the largest picture or text was shown. */
            lcp: number | null;

            /** Interaction to Next Paint: how long the page took to answer the slowest of its clicks, taps and keys. */
            inp: number | null;

            /** Cumulative Layout Shift: how far its parts moved without a reason, as a share of the window. */
            cls: number | null;

            /** First Contentful Paint: when anything was shown. */
            fcp: number | null;

            /** Time to First Byte: when the answer of the server began to arrive. */
            ttfb: number | null;

            /** Per cent of the page views that have the vital; all 0 without any. */
            shares: {
              lcp: { good: number; needs_improvement: number; poor: number };
              inp: { good: number; needs_improvement: number; poor: number };
              cls: { good: number; needs_improvement: number; poor: number };
              fcp: { good: number; needs_improvement: number; poor: number };
              ttfb: { good: number; needs_improvement: number; poor: number };
            };
          }
        | null
        | undefined;
    };

    /** With `interval`. */
    interval?: 'minute' | 'hour' | 'day' | 'week' | 'month' | undefined;

    /** With `interval`: the 75th percentiles of each step. */
    series?:
      | {
          /** Measured page views. */
          views: number;

          /** Largest Contentful Paint: when the largest picture or text was shown. */
          lcp: number | null;

          /** Interaction to Next Paint: how long the page took to answer the slowest of its clicks, taps and keys. */
          inp: number | null;

          /** Cumulative Layout Shift: how far its parts moved without a reason, as a share of the window. */
          cls: number | null;

          /** First Contentful Paint: when anything was shown. */
          fcp: number | null;

          /** Time to First Byte: when the answer of the server began to arrive. */
          ttfb: number | null;
          time: string;
        }[]
      | undefined;

    /** With `histogram`: the page views with a value from `from` up to the next step; the last has all beyond. */
    histogram?: { vital: 'lcp' | 'inp' | 'cls' | 'fcp' | 'ttfb'; steps: { from: number; views: number }[] } | undefined;
  };
};

type Errors = {
  data: {
    /** Errors. */
    count: number;

    /** Visits with such an error. */
    visits: number;

    /** Per cent of all visits in the period. */
    share: number;

    /** The id of the kind, message and file together. */
    shape: string;

    /** With placeholders; for `load`, the element that could not be loaded. */
    message: string;
    kind: 'error' | 'rejection' | 'load';

    /** Path, with its host if that is not the page’s; empty for a script within the page. */
    file: string;

    /** That of the latest error; 0 when unknown. */
    line: number;

    /** Of all such errors that are kept. */
    first_seen: string;

    /** In the period. */
    last_seen: string;

    /** The latest release, as a note, on the day of `first_seen` or the day before. */
    since: string | null;

    /** Errors at the `times` of `meta`. */
    trend: number[];
  }[];
  meta: {
    page: number;
    per_page: number;
    total: number;
    interval: 'minute' | 'hour' | 'day' | 'week' | 'month';
    times: string[];
    date_from: string;
    date_to: string;
    totals: {
      /** Errors. */
      count: number;

      /** Visits with such an error. */
      visits: number;

      /** Per cent of all visits in the period. */
      share: number;

      /** Only with `compare` or `versus`; null without days to compare with. */
      previous?:
        | {
            /** Errors. */
            count: number;

            /** Visits with such an error. */
            visits: number;

            /** Per cent of all visits in the period. */
            share: number;
          }
        | null
        | undefined;
    };
  };
};

type Week = {
  data: {
    unique_visitors?: number | undefined;
    visits?: number | undefined;
    pageviews?: number | undefined;
    views_per_visit?: number | undefined;
    bounce_rate?: number | undefined;
    visit_duration?: number | undefined;
    time_on_page?: number | undefined;
    scroll_depth?: number | undefined;
    events?: number | undefined;
    conversions?: number | undefined;
    converted_visitors?: number | undefined;
    conversion_rate?: number | undefined;

    /** Below 0 where refunds exceed payments. */
    revenue?: number | undefined;

    /** Below 0 where refunds exceed payments. */
    revenue_confirmed?: number | undefined;
    orders?: number | undefined;

    /** Below 0 where refunds exceed payments. */
    average_order?: number | undefined;

    /** Below 0 where refunds exceed payments. */
    refunds?: number | undefined;
    implausible_orders?: number | undefined;
    ai_visits?: number | undefined;

    /** 1 is Monday. */
    weekday: number;
    hour: number;
  }[];
  meta: { date_from: string; date_to: string };
};

type Journey = {
  /** Empty if no visit has the start. */
  data: {
    /** 1 is the start. */
    step: number;

    /** Position in this list of the branch that it continues, from 0. */
    parent: number | null;
    kind: 'page' | 'event' | 'goal';

    /** The page, the event, or the name of the goal. */
    name: string;
    visits: number;

    /** Visits that ended here; backwards, those that began here. */
    ended: number;

    /** Visits that went on to something without a branch of its own; backwards, that came from it. */
    other: number;
  }[];
  meta: { start: string; direction: 'forwards' | 'backwards'; date_from: string; date_to: string };
};

type AiVisits = {
  data: {
    /** Most pages read first. */
    providers: {
      ai_provider: string;

      /** Pages that its agents read. */
      ai_visits: number;

      /** Visits of people that its assistants sent. */
      visits: number;

      /** Only with `compare` or `versus`; null without days to compare with. */
      previous?:
        | {
            /** Pages that its agents read. */
            ai_visits: number;

            /** Visits of people that its assistants sent. */
            visits: number;
          }
        | null
        | undefined;
    }[];
    series: {
      time: string;

      /** Of all providers. */
      ai_visits: number;
      by: { ai_provider: string; ai_visits: number }[];
    }[];

    /** Agents whose first visit ever was in the last 30 days of the period, newest first. */
    new_agents: { ai_agent: string; first_seen: string }[];
  };
  meta: { interval: 'minute' | 'hour' | 'day' | 'week' | 'month'; date_from: string; date_to: string };
};

type Asked = {
  /** The whole view in words. */
  sentence: string;

  /** False if a word was not understood, was misspelt, or does not count. */
  is_sure: boolean;
  parts: {
    /** As it stands in the question. */
    text: string;

    /** Its place in the question, in UTF-16 units. */
    from: number;
    to: number;
    kind: 'metric' | 'dimension' | 'filter' | 'segment' | 'period' | 'comparison' | 'interval' | 'unknown';

    /** How it was understood; empty for what was not. */
    label: string;

    /** It was misspelt, or only something near exists. */
    is_guess: boolean;

    /** Why it does not count; null if it does. */
    problem: string | null;

    /** What may have been meant: words to write instead, and their meaning. */
    nearest: { text: string; label: string }[];
  }[];

  /** As in the parameters of requests. */
  view: {
    period:
      | 'today'
      | 'yesterday'
      | '60m'
      | '24h'
      | '7d'
      | '30d'
      | '91d'
      | 'month'
      | 'last_month'
      | 'year'
      | '12mo'
      | 'all'
      | 'custom';
    date_from?: string | undefined;
    date_to?: string | undefined;
    compare: 'previous' | 'weekdays' | 'year' | 'custom' | 'none';
    compare_from?: string | undefined;
    compare_to?: string | undefined;
    versus?: string | undefined;
    segment?: string | undefined;
    filters: { dimension: string; operator: 'is' | 'is_not' | 'contains' | 'contains_not'; values: string[] }[];

    /** Empty if the question names none. */
    metrics: (
      | 'unique_visitors'
      | 'visits'
      | 'pageviews'
      | 'views_per_visit'
      | 'bounce_rate'
      | 'visit_duration'
      | 'time_on_page'
      | 'scroll_depth'
      | 'events'
      | 'conversions'
      | 'converted_visitors'
      | 'conversion_rate'
      | 'revenue'
      | 'revenue_confirmed'
      | 'orders'
      | 'average_order'
      | 'refunds'
      | 'implausible_orders'
      | 'ai_visits'
    )[];

    /** What is listed; null for the numbers over time. */
    dimension: string | null;
    interval?: 'minute' | 'hour' | 'day' | 'week' | 'month' | undefined;
  };

  /** The address of the view in the dashboard. */
  dashboard: string;

  /** Path and query of the request that answers the question. */
  request: string;

  /** The same request as a tool of assistants. */
  tool: { name: string; arguments: Record<string, unknown> };
};

type Live = { current_visitors: number; pages: { page: string; visitors: number }[] };

type ShareLink = {
  id: string;

  /** Only members see it, and the note. */
  name: string;
  note: string;
  created_at: string;

  /** When the link ends; null for never. */
  expires_at: string | null;
  paused: boolean;

  /** The site’s domain opens the link, too: `/share/DOMAIN`. */
  public: boolean;

  /** Search engines may list the page of a public link. */
  indexed: boolean;

  /** True if viewers must enter a password. */
  has_password: boolean;
  shows: {
    /** Properties of events. */
    properties: boolean;

    /** Narrowed numbers of fewer visitors are withheld. 1: none are. */
    fewest: number;

    /** The page says “Counted by Footfall”. */
    credit: boolean;

    /** Hosts of the websites that may show the page in a frame, as `blog.example` or `*.blog.example`. */
    embedded_on: string[];
  };
  rules: {
    /** Only visits that match all of them are shown. */
    filters: {
      /** The dimension, or `prop:KEY` for a property of events. */
      dimension: string;
      operator: 'is' | 'is_not' | 'contains' | 'contains_not';

      /** Any of these values. */
      values: string[];
    }[];

    /** The last so many days and today, or fixed days; null for any time. */
    period: { days: number } | { date_from: string; date_to: string } | null;

    /** The parts of the dashboard; null for all. */
    parts:
      | (
          | 'sources'
          | 'pages'
          | 'places'
          | 'devices'
          | 'events'
          | 'revenue'
          | 'goals'
          | 'funnels'
          | 'journeys'
          | 'week'
          | 'ai'
          | 'live'
        )[]
      | null;

    /** Whose days are shown: those of the site’s time zone, or of UTC. */
    timezone: 'site' | 'UTC';
  };
  looks: {
    /** Null for the reader’s own. */
    theme: 'light' | 'dark' | null;

    /** The order of the chapters, those that are folded or hidden, and the figures that come first. Left out for that of the site. */
    arrangement?:
      | {
          order?:
            | (
                | 'figures'
                | 'reading'
                | 'sources'
                | 'pages'
                | 'places'
                | 'devices'
                | 'events'
                | 'payments'
                | 'goals'
                | 'funnels'
                | 'journeys'
                | 'speed'
                | 'ai'
                | 'mentions'
              )[]
            | undefined;
          folded?:
            | (
                | 'figures'
                | 'reading'
                | 'sources'
                | 'pages'
                | 'places'
                | 'devices'
                | 'events'
                | 'payments'
                | 'goals'
                | 'funnels'
                | 'journeys'
                | 'speed'
                | 'ai'
                | 'mentions'
              )[]
            | undefined;
          hidden?:
            | (
                | 'figures'
                | 'reading'
                | 'sources'
                | 'pages'
                | 'places'
                | 'devices'
                | 'events'
                | 'payments'
                | 'goals'
                | 'funnels'
                | 'journeys'
                | 'speed'
                | 'ai'
                | 'mentions'
              )[]
            | undefined;
          figures?:
            | (
                | 'unique_visitors'
                | 'visits'
                | 'pageviews'
                | 'views_per_visit'
                | 'bounce_rate'
                | 'visit_duration'
                | 'time_on_page'
                | 'scroll_depth'
                | 'events'
                | 'conversions'
                | 'converted_visitors'
                | 'conversion_rate'
                | 'revenue'
                | 'revenue_confirmed'
                | 'orders'
                | 'average_order'
                | 'refunds'
                | 'implausible_orders'
                | 'ai_visits'
              )[]
            | undefined;
        }
      | undefined;
  };

  /** When the link was opened last. */
  last_used_at: string | null;

  /** How often it was opened on each UTC day, oldest first. */
  views: { day: string; views: number }[];
};

type NewShareLink = {
  id: string;

  /** Only members see it, and the note. */
  name: string;
  note: string;
  created_at: string;

  /** When the link ends; null for never. */
  expires_at: string | null;
  paused: boolean;

  /** The site’s domain opens the link, too: `/share/DOMAIN`. */
  public: boolean;

  /** Search engines may list the page of a public link. */
  indexed: boolean;

  /** True if viewers must enter a password. */
  has_password: boolean;
  shows: {
    /** Properties of events. */
    properties: boolean;

    /** Narrowed numbers of fewer visitors are withheld. 1: none are. */
    fewest: number;

    /** The page says “Counted by Footfall”. */
    credit: boolean;

    /** Hosts of the websites that may show the page in a frame, as `blog.example` or `*.blog.example`. */
    embedded_on: string[];
  };
  rules: {
    /** Only visits that match all of them are shown. */
    filters: {
      /** The dimension, or `prop:KEY` for a property of events. */
      dimension: string;
      operator: 'is' | 'is_not' | 'contains' | 'contains_not';

      /** Any of these values. */
      values: string[];
    }[];

    /** The last so many days and today, or fixed days; null for any time. */
    period: { days: number } | { date_from: string; date_to: string } | null;

    /** The parts of the dashboard; null for all. */
    parts:
      | (
          | 'sources'
          | 'pages'
          | 'places'
          | 'devices'
          | 'events'
          | 'revenue'
          | 'goals'
          | 'funnels'
          | 'journeys'
          | 'week'
          | 'ai'
          | 'live'
        )[]
      | null;

    /** Whose days are shown: those of the site’s time zone, or of UTC. */
    timezone: 'site' | 'UTC';
  };
  looks: {
    /** Null for the reader’s own. */
    theme: 'light' | 'dark' | null;

    /** The order of the chapters, those that are folded or hidden, and the figures that come first. Left out for that of the site. */
    arrangement?:
      | {
          order?:
            | (
                | 'figures'
                | 'reading'
                | 'sources'
                | 'pages'
                | 'places'
                | 'devices'
                | 'events'
                | 'payments'
                | 'goals'
                | 'funnels'
                | 'journeys'
                | 'speed'
                | 'ai'
                | 'mentions'
              )[]
            | undefined;
          folded?:
            | (
                | 'figures'
                | 'reading'
                | 'sources'
                | 'pages'
                | 'places'
                | 'devices'
                | 'events'
                | 'payments'
                | 'goals'
                | 'funnels'
                | 'journeys'
                | 'speed'
                | 'ai'
                | 'mentions'
              )[]
            | undefined;
          hidden?:
            | (
                | 'figures'
                | 'reading'
                | 'sources'
                | 'pages'
                | 'places'
                | 'devices'
                | 'events'
                | 'payments'
                | 'goals'
                | 'funnels'
                | 'journeys'
                | 'speed'
                | 'ai'
                | 'mentions'
              )[]
            | undefined;
          figures?:
            | (
                | 'unique_visitors'
                | 'visits'
                | 'pageviews'
                | 'views_per_visit'
                | 'bounce_rate'
                | 'visit_duration'
                | 'time_on_page'
                | 'scroll_depth'
                | 'events'
                | 'conversions'
                | 'converted_visitors'
                | 'conversion_rate'
                | 'revenue'
                | 'revenue_confirmed'
                | 'orders'
                | 'average_order'
                | 'refunds'
                | 'implausible_orders'
                | 'ai_visits'
              )[]
            | undefined;
        }
      | undefined;
  };

  /** When the link was opened last. */
  last_used_at: string | null;

  /** How often it was opened on each UTC day, oldest first. */
  views: { day: string; views: number }[];

  /** The address for viewers. It is not shown again. */
  url: string;
};

type Note = {
  id: string;

  /** A date of the site’s own time zone. */
  day: string;
  text: string;

  /** True if the viewers of share links do not see it. */
  is_private: boolean;
  kind: 'note' | 'release';
};

type Acceptance = {
  /** True if the event was received and queued. */
  accepted: boolean;
};

export type Operations = {
  /** List the sites of the account. */
  listSites: {
    sent: {
      /** Page of the list. */
      page?: number | undefined;

      /** Entries per page. */
      per_page?: number | undefined;
    };
    answer: { data: Site[]; meta: { page: number; per_page: number; total: number } };
  };
  /** Get one site. */
  getSite: {
    sent: {
      /** Id of a site, as `GET /v1/sites` lists it. */
      site_id: string;
    };
    answer: { data: Site };
  };
  /** List the groups of sites of the account. */
  listGroups: {
    sent: {
      /** Page of the list. */
      page?: number | undefined;

      /** Entries per page. */
      per_page?: number | undefined;
    };
    answer: { data: Group[]; meta: { page: number; per_page: number; total: number } };
  };
  /** Get the totals of a group of sites, and of each of them. */
  getGroupStats: {
    sent: {
      /** Id of a group of sites, as `GET /v1/groups` lists it. */
      group_id: string;

      /** `7d`, `30d`, `91d`: full days before today. `month`, `year`: to date. `12mo`: full months. `custom`: from `date_from` to `date_to`. */
      period?:
        'today' | 'yesterday' | '7d' | '30d' | '91d' | 'month' | 'last_month' | 'year' | '12mo' | 'custom' | undefined;

      /** First day, with `period=custom`: 2000-01-01 or later. */
      date_from?: string | undefined;

      /** Last day, with `period=custom`: from `date_from` to today. */
      date_to?: string | undefined;

      /** With `site`, days, `today` and dates are in the time zone of the site’s settings. Default: UTC days. */
      timezone?: 'UTC' | 'site' | undefined;

      /** With `false`, without the days that were imported from another product as daily sums. Filters, goals and hours never count these days. Imported hits count like all others. */
      include_imported?: 'true' | 'false' | undefined;
    };
    answer: GroupStats;
  };
  /** Get the numbers of a group of sites over time. */
  getGroupTimeseries: {
    sent: {
      /** Id of a group of sites, as `GET /v1/groups` lists it. */
      group_id: string;

      /** `7d`, `30d`, `91d`: full days before today. `month`, `year`: to date. `12mo`: full months. `custom`: from `date_from` to `date_to`. */
      period?:
        'today' | 'yesterday' | '7d' | '30d' | '91d' | 'month' | 'last_month' | 'year' | '12mo' | 'custom' | undefined;

      /** First day, with `period=custom`: 2000-01-01 or later. */
      date_from?: string | undefined;

      /** Last day, with `period=custom`: from `date_from` to today. */
      date_to?: string | undefined;

      /** With `site`, days, `today` and dates are in the time zone of the site’s settings. Default: UTC days. */
      timezone?: 'UTC' | 'site' | undefined;

      /** With `false`, without the days that were imported from another product as daily sums. Filters, goals and hours never count these days. Imported hits count like all others. */
      include_imported?: 'true' | 'false' | undefined;

      /** Length of a step. The default depends on the period. Weeks start on Monday. */
      interval?: 'day' | 'week' | 'month' | undefined;
    };
    answer: GroupTimeseries;
  };
  /** List the goals of a site. */
  listGoals: {
    sent: {
      /** Id of a site, as `GET /v1/sites` lists it. */
      site_id: string;

      /** Page of the list. */
      page?: number | undefined;

      /** Entries per page. */
      per_page?: number | undefined;
    };
    answer: { data: Goal[]; meta: { page: number; per_page: number; total: number } };
  };
  /** List the funnels of a site. */
  listFunnels: {
    sent: {
      /** Id of a site, as `GET /v1/sites` lists it. */
      site_id: string;

      /** Page of the list. */
      page?: number | undefined;

      /** Entries per page. */
      per_page?: number | undefined;
    };
    answer: { data: Funnel[]; meta: { page: number; per_page: number; total: number } };
  };
  /** List the segments of a site. */
  listSegments: {
    sent: {
      /** Id of a site, as `GET /v1/sites` lists it. */
      site_id: string;

      /** Page of the list. */
      page?: number | undefined;

      /** Entries per page. */
      per_page?: number | undefined;
    };
    answer: { data: Segment[]; meta: { page: number; per_page: number; total: number } };
  };
  /** Get the figures of a funnel. */
  getFunnel: {
    sent: {
      /** Id of a funnel, as `GET /v1/funnels` lists it. */
      funnel_id: string;

      /** `60m`, `24h`: the last minutes and hours up to now. `7d`, `30d`, `91d`: full days before today. `month`, `year`: to date. `12mo`: full months. `custom`: from `date_from` to `date_to`. */
      period?:
        | 'today'
        | 'yesterday'
        | '60m'
        | '24h'
        | '7d'
        | '30d'
        | '91d'
        | 'month'
        | 'last_month'
        | 'year'
        | '12mo'
        | 'all'
        | 'custom'
        | undefined;

      /** First day, with `period=custom`: 2000-01-01 or later. */
      date_from?: string | undefined;

      /** Last day, with `period=custom`: from `date_from` to today. */
      date_to?: string | undefined;

      /** Also returns the numbers of another period as `previous`. `previous`: the period before. `weekdays`: the same, moved to the same weekdays. `year`: a year before. `custom`: from `compare_from` to `compare_to`. */
      compare?: 'previous' | 'weekdays' | 'year' | 'custom' | 'none' | undefined;

      /** First day of the comparison, with `compare=custom`. */
      compare_from?: string | undefined;

      /** Last day of the comparison, with `compare=custom`. */
      compare_to?: string | undefined;

      /** Compares with other visitors instead: the id of a segment, or `all`. The other filters of the request apply to both. */
      versus?: string | undefined;

      /** With `site`, days, `today` and dates are in the time zone of the site’s settings. Default: UTC days. */
      timezone?: 'UTC' | 'site' | undefined;

      /** Also splits the steps by a dimension of whole visits, such as `device`, `source` or `country`. */
      by?: string | undefined;

      /** Id of a segment of the site. Its filters are added to those of the request. */
      segment?: string | undefined;

      /** Counts only data with this value of a dimension, for example `filter[page]=/pricing`. All filters must match. */
      filter?:
        | {
            page?: string | undefined;
            entry_page?: string | undefined;
            exit_page?: string | undefined;
            hostname?: string | undefined;
            channel?: string | undefined;
            source?: string | undefined;
            referrer?: string | undefined;
            utm_source?: string | undefined;
            utm_medium?: string | undefined;
            utm_campaign?: string | undefined;
            utm_content?: string | undefined;
            utm_term?: string | undefined;
            country?: string | undefined;
            region?: string | undefined;
            city?: string | undefined;
            language?: string | undefined;
            browser?: string | undefined;
            browser_version?: string | undefined;
            os?: string | undefined;
            os_version?: string | undefined;
            device?: string | undefined;
            screen?: string | undefined;
            event?: string | undefined;
            goal?: string | undefined;
            ai_provider?: string | undefined;
            ai_agent?: string | undefined;
            ai_purpose?: string | undefined;
            ai_page?: string | undefined;
            ai_status?: string | undefined;

            /** Id of a funnel and one of its steps, such as `FUNNEL_ID:2`: the visitors who got no further and left, or who took the last step. Nobody matches a funnel that was deleted. */
            furthest_step?: string | undefined;
            [name: `prop:${string}`]: string;
          }
        | undefined;

      /** Further filters, as JSON. Each has a dimension (or `segment`), an operator and values, any of which may match. All filters must match. */
      filters?:
        { dimension: string; operator: 'is' | 'is_not' | 'contains' | 'contains_not'; values: string[] }[] | undefined;
    };
    answer: FunnelFigures;
  };
  /** Get the totals and the top pages of a period. */
  getStats: {
    sent: {
      /** Id of a site, as `GET /v1/sites` lists it. */
      site_id: string;

      /** `today`: from midnight UTC to now. `7d`, `30d`: the 7 or 30 full days before today. `custom`: from `date_from` to `date_to`. */
      period?: 'today' | '7d' | '30d' | 'custom' | undefined;

      /** First day, with `period=custom`: 2000-01-01 or later. */
      date_from?: string | undefined;

      /** Last day, with `period=custom`: from `date_from` to today. */
      date_to?: string | undefined;

      /** With `site`, days, `today` and dates are in the time zone of the site’s settings. Default: UTC days. */
      timezone?: 'UTC' | 'site' | undefined;

      /** With `false`, without the days that were imported from another product as daily sums. Filters, goals and hours never count these days. Imported hits count like all others. */
      include_imported?: 'true' | 'false' | undefined;

      /** Which counts to return. */
      metric?: 'pageviews' | 'visitors' | 'both' | undefined;

      /** Maximum number of entries in `top_pages`. */
      limit?: number | undefined;

      /** Counts only data with this value of a dimension, for example `filter[page]=/pricing`. All filters must match. */
      filter?:
        | {
            page?: string | undefined;
            entry_page?: string | undefined;
            exit_page?: string | undefined;
            hostname?: string | undefined;
            channel?: string | undefined;
            source?: string | undefined;
            referrer?: string | undefined;
            utm_source?: string | undefined;
            utm_medium?: string | undefined;
            utm_campaign?: string | undefined;
            utm_content?: string | undefined;
            utm_term?: string | undefined;
            country?: string | undefined;
            region?: string | undefined;
            city?: string | undefined;
            language?: string | undefined;
            browser?: string | undefined;
            browser_version?: string | undefined;
            os?: string | undefined;
            os_version?: string | undefined;
            device?: string | undefined;
            screen?: string | undefined;
            event?: string | undefined;
            goal?: string | undefined;
            ai_provider?: string | undefined;
            ai_agent?: string | undefined;
            ai_purpose?: string | undefined;
            ai_page?: string | undefined;
            ai_status?: string | undefined;

            /** Id of a funnel and one of its steps, such as `FUNNEL_ID:2`: the visitors who got no further and left, or who took the last step. Nobody matches a funnel that was deleted. */
            furthest_step?: string | undefined;
            [name: `prop:${string}`]: string;
          }
        | undefined;

      /** Further filters, as JSON. Each has a dimension (or `segment`), an operator and values, any of which may match. All filters must match. */
      filters?:
        { dimension: string; operator: 'is' | 'is_not' | 'contains' | 'contains_not'; values: string[] }[] | undefined;

      /** Id of a segment of the site. Its filters are added to those of the request. */
      segment?: string | undefined;
    };
    answer: { data: Stats };
  };
  /** Get metrics over time. */
  getTimeseries: {
    sent: {
      /** Id of a site, as `GET /v1/sites` lists it. */
      site_id: string;

      /** `60m`, `24h`: the last minutes and hours up to now. `7d`, `30d`, `91d`: full days before today. `month`, `year`: to date. `12mo`: full months. `custom`: from `date_from` to `date_to`. */
      period?:
        | 'today'
        | 'yesterday'
        | '60m'
        | '24h'
        | '7d'
        | '30d'
        | '91d'
        | 'month'
        | 'last_month'
        | 'year'
        | '12mo'
        | 'all'
        | 'custom'
        | undefined;

      /** First day, with `period=custom`: 2000-01-01 or later. */
      date_from?: string | undefined;

      /** Last day, with `period=custom`: from `date_from` to today. */
      date_to?: string | undefined;

      /** Also returns the numbers of another period as `previous`. `previous`: the period before. `weekdays`: the same, moved to the same weekdays. `year`: a year before. `custom`: from `compare_from` to `compare_to`. */
      compare?: 'previous' | 'weekdays' | 'year' | 'custom' | 'none' | undefined;

      /** First day of the comparison, with `compare=custom`. */
      compare_from?: string | undefined;

      /** Last day of the comparison, with `compare=custom`. */
      compare_to?: string | undefined;

      /** Compares with other visitors instead: the id of a segment, or `all`. The other filters of the request apply to both. */
      versus?: string | undefined;

      /** With `site`, days, `today` and dates are in the time zone of the site’s settings. Default: UTC days. */
      timezone?: 'UTC' | 'site' | undefined;

      /** With `false`, without the days that were imported from another product as daily sums. Filters, goals and hours never count these days. Imported hits count like all others. */
      include_imported?: 'true' | 'false' | undefined;

      /** Comma-separated metrics. Default: `unique_visitors,pageviews`. */
      metrics?:
        | (
            | 'unique_visitors'
            | 'visits'
            | 'pageviews'
            | 'views_per_visit'
            | 'bounce_rate'
            | 'visit_duration'
            | 'time_on_page'
            | 'scroll_depth'
            | 'events'
            | 'conversions'
            | 'converted_visitors'
            | 'conversion_rate'
            | 'revenue'
            | 'revenue_confirmed'
            | 'orders'
            | 'average_order'
            | 'refunds'
            | 'implausible_orders'
            | 'ai_visits'
          )[]
        | undefined;

      /** Length of a step. The default depends on the period. Weeks start on Monday. At most 12,000 steps: minutes for up to a week, hours for up to a year. */
      interval?: 'minute' | 'hour' | 'day' | 'week' | 'month' | undefined;

      /** Counts only data with this value of a dimension, for example `filter[page]=/pricing`. All filters must match. */
      filter?:
        | {
            page?: string | undefined;
            entry_page?: string | undefined;
            exit_page?: string | undefined;
            hostname?: string | undefined;
            channel?: string | undefined;
            source?: string | undefined;
            referrer?: string | undefined;
            utm_source?: string | undefined;
            utm_medium?: string | undefined;
            utm_campaign?: string | undefined;
            utm_content?: string | undefined;
            utm_term?: string | undefined;
            country?: string | undefined;
            region?: string | undefined;
            city?: string | undefined;
            language?: string | undefined;
            browser?: string | undefined;
            browser_version?: string | undefined;
            os?: string | undefined;
            os_version?: string | undefined;
            device?: string | undefined;
            screen?: string | undefined;
            event?: string | undefined;
            goal?: string | undefined;
            ai_provider?: string | undefined;
            ai_agent?: string | undefined;
            ai_purpose?: string | undefined;
            ai_page?: string | undefined;
            ai_status?: string | undefined;

            /** Id of a funnel and one of its steps, such as `FUNNEL_ID:2`: the visitors who got no further and left, or who took the last step. Nobody matches a funnel that was deleted. */
            furthest_step?: string | undefined;
            [name: `prop:${string}`]: string;
          }
        | undefined;

      /** Further filters, as JSON. Each has a dimension (or `segment`), an operator and values, any of which may match. All filters must match. */
      filters?:
        { dimension: string; operator: 'is' | 'is_not' | 'contains' | 'contains_not'; values: string[] }[] | undefined;

      /** Id of a segment of the site. Its filters are added to those of the request. */
      segment?: string | undefined;

      /** The currency of `revenue`, `revenue_confirmed`, `average_order` and `refunds`. If it is given, `orders` counts those in it, too, else those in all currencies. Default: the currency of the site. Nothing is converted. */
      currency?: string | undefined;
    };
    answer: Timeseries;
  };
  /** List the values of a dimension with their metrics. */
  getBreakdown: {
    sent: {
      /** Id of a site, as `GET /v1/sites` lists it. */
      site_id: string;

      /** The dimension to list, or `prop:KEY` for a property of custom events. */
      dimension: string;

      /** `60m`, `24h`: the last minutes and hours up to now. `7d`, `30d`, `91d`: full days before today. `month`, `year`: to date. `12mo`: full months. `custom`: from `date_from` to `date_to`. */
      period?:
        | 'today'
        | 'yesterday'
        | '60m'
        | '24h'
        | '7d'
        | '30d'
        | '91d'
        | 'month'
        | 'last_month'
        | 'year'
        | '12mo'
        | 'all'
        | 'custom'
        | undefined;

      /** First day, with `period=custom`: 2000-01-01 or later. */
      date_from?: string | undefined;

      /** Last day, with `period=custom`: from `date_from` to today. */
      date_to?: string | undefined;

      /** Also returns the numbers of another period as `previous`. `previous`: the period before. `weekdays`: the same, moved to the same weekdays. `year`: a year before. `custom`: from `compare_from` to `compare_to`. */
      compare?: 'previous' | 'weekdays' | 'year' | 'custom' | 'none' | undefined;

      /** First day of the comparison, with `compare=custom`. */
      compare_from?: string | undefined;

      /** Last day of the comparison, with `compare=custom`. */
      compare_to?: string | undefined;

      /** Compares with other visitors instead: the id of a segment, or `all`. The other filters of the request apply to both. */
      versus?: string | undefined;

      /** With `site`, days, `today` and dates are in the time zone of the site’s settings. Default: UTC days. */
      timezone?: 'UTC' | 'site' | undefined;

      /** With `false`, without the days that were imported from another product as daily sums. Filters, goals and hours never count these days. Imported hits count like all others. */
      include_imported?: 'true' | 'false' | undefined;

      /** Comma-separated metrics. Default: `unique_visitors`, or `ai_visits` for dimensions of AI visits. */
      metrics?:
        | (
            | 'unique_visitors'
            | 'visits'
            | 'pageviews'
            | 'views_per_visit'
            | 'bounce_rate'
            | 'visit_duration'
            | 'time_on_page'
            | 'scroll_depth'
            | 'events'
            | 'conversions'
            | 'converted_visitors'
            | 'conversion_rate'
            | 'revenue'
            | 'revenue_confirmed'
            | 'orders'
            | 'average_order'
            | 'refunds'
            | 'implausible_orders'
            | 'ai_visits'
          )[]
        | undefined;

      /** Only rows whose name contains this text. */
      search?: string | undefined;

      /** Sorts the rows by name or by one of the metrics, for example `name:asc`. */
      order?: string | undefined;

      /** Counts only data with this value of a dimension, for example `filter[page]=/pricing`. All filters must match. */
      filter?:
        | {
            page?: string | undefined;
            entry_page?: string | undefined;
            exit_page?: string | undefined;
            hostname?: string | undefined;
            channel?: string | undefined;
            source?: string | undefined;
            referrer?: string | undefined;
            utm_source?: string | undefined;
            utm_medium?: string | undefined;
            utm_campaign?: string | undefined;
            utm_content?: string | undefined;
            utm_term?: string | undefined;
            country?: string | undefined;
            region?: string | undefined;
            city?: string | undefined;
            language?: string | undefined;
            browser?: string | undefined;
            browser_version?: string | undefined;
            os?: string | undefined;
            os_version?: string | undefined;
            device?: string | undefined;
            screen?: string | undefined;
            event?: string | undefined;
            goal?: string | undefined;
            ai_provider?: string | undefined;
            ai_agent?: string | undefined;
            ai_purpose?: string | undefined;
            ai_page?: string | undefined;
            ai_status?: string | undefined;

            /** Id of a funnel and one of its steps, such as `FUNNEL_ID:2`: the visitors who got no further and left, or who took the last step. Nobody matches a funnel that was deleted. */
            furthest_step?: string | undefined;
            [name: `prop:${string}`]: string;
          }
        | undefined;

      /** Further filters, as JSON. Each has a dimension (or `segment`), an operator and values, any of which may match. All filters must match. */
      filters?:
        { dimension: string; operator: 'is' | 'is_not' | 'contains' | 'contains_not'; values: string[] }[] | undefined;

      /** Id of a segment of the site. Its filters are added to those of the request. */
      segment?: string | undefined;

      /** The currency of `revenue`, `revenue_confirmed`, `average_order` and `refunds`. If it is given, `orders` counts those in it, too, else those in all currencies. Default: the currency of the site. Nothing is converted. */
      currency?: string | undefined;

      /** Page of the list. */
      page?: number | undefined;

      /** Entries per page. */
      per_page?: number | undefined;
    };
    answer: Breakdown;
  };
  /** List the terms with which people find the site at Google. */
  getSearchTerms: {
    sent: {
      /** Id of a site, as `GET /v1/sites` lists it. */
      site_id: string;

      /** `60m`, `24h`: the last minutes and hours up to now. `7d`, `30d`, `91d`: full days before today. `month`, `year`: to date. `12mo`: full months. `custom`: from `date_from` to `date_to`. */
      period?:
        | 'today'
        | 'yesterday'
        | '60m'
        | '24h'
        | '7d'
        | '30d'
        | '91d'
        | 'month'
        | 'last_month'
        | 'year'
        | '12mo'
        | 'all'
        | 'custom'
        | undefined;

      /** First day, with `period=custom`: 2000-01-01 or later. */
      date_from?: string | undefined;

      /** Last day, with `period=custom`: from `date_from` to today. */
      date_to?: string | undefined;

      /** Also returns the numbers of another period as `previous`. `previous`: the period before. `weekdays`: the same, moved to the same weekdays. `year`: a year before. `custom`: from `compare_from` to `compare_to`. */
      compare?: 'previous' | 'weekdays' | 'year' | 'custom' | 'none' | undefined;

      /** First day of the comparison, with `compare=custom`. */
      compare_from?: string | undefined;

      /** Last day of the comparison, with `compare=custom`. */
      compare_to?: string | undefined;

      /** Compares with other visitors instead: the id of a segment, or `all`. The other filters of the request apply to both. */
      versus?: string | undefined;

      /** With `site`, days, `today` and dates are in the time zone of the site’s settings. Default: UTC days. */
      timezone?: 'UTC' | 'site' | undefined;

      /** Only rows whose name contains this text. */
      search?: string | undefined;

      /** Sorts the rows by name or by one of the metrics, for example `name:asc`. */
      order?: string | undefined;

      /** Counts only data with this value of a dimension, for example `filter[page]=/pricing`. All filters must match. */
      filter?:
        | {
            page?: string | undefined;
            entry_page?: string | undefined;
            exit_page?: string | undefined;
            hostname?: string | undefined;
            channel?: string | undefined;
            source?: string | undefined;
            referrer?: string | undefined;
            utm_source?: string | undefined;
            utm_medium?: string | undefined;
            utm_campaign?: string | undefined;
            utm_content?: string | undefined;
            utm_term?: string | undefined;
            country?: string | undefined;
            region?: string | undefined;
            city?: string | undefined;
            language?: string | undefined;
            browser?: string | undefined;
            browser_version?: string | undefined;
            os?: string | undefined;
            os_version?: string | undefined;
            device?: string | undefined;
            screen?: string | undefined;
            event?: string | undefined;
            goal?: string | undefined;
            ai_provider?: string | undefined;
            ai_agent?: string | undefined;
            ai_purpose?: string | undefined;
            ai_page?: string | undefined;
            ai_status?: string | undefined;

            /** Id of a funnel and one of its steps, such as `FUNNEL_ID:2`: the visitors who got no further and left, or who took the last step. Nobody matches a funnel that was deleted. */
            furthest_step?: string | undefined;
            [name: `prop:${string}`]: string;
          }
        | undefined;

      /** Further filters, as JSON. Each has a dimension (or `segment`), an operator and values, any of which may match. All filters must match. */
      filters?:
        { dimension: string; operator: 'is' | 'is_not' | 'contains' | 'contains_not'; values: string[] }[] | undefined;

      /** Id of a segment of the site. Its filters are added to those of the request. */
      segment?: string | undefined;

      /** Page of the list. */
      page?: number | undefined;

      /** Entries per page. */
      per_page?: number | undefined;
    };
    answer: SearchTerms;
  };
  /** Get how page views were read. */
  getReading: {
    sent: {
      /** Id of a site, as `GET /v1/sites` lists it. */
      site_id: string;

      /** `60m`, `24h`: the last minutes and hours up to now. `7d`, `30d`, `91d`: full days before today. `month`, `year`: to date. `12mo`: full months. `custom`: from `date_from` to `date_to`. */
      period?:
        | 'today'
        | 'yesterday'
        | '60m'
        | '24h'
        | '7d'
        | '30d'
        | '91d'
        | 'month'
        | 'last_month'
        | 'year'
        | '12mo'
        | 'all'
        | 'custom'
        | undefined;

      /** First day, with `period=custom`: 2000-01-01 or later. */
      date_from?: string | undefined;

      /** Last day, with `period=custom`: from `date_from` to today. */
      date_to?: string | undefined;

      /** With `site`, days, `today` and dates are in the time zone of the site’s settings. Default: UTC days. */
      timezone?: 'UTC' | 'site' | undefined;

      /** Counts only data with this value of a dimension, for example `filter[page]=/pricing`. All filters must match. */
      filter?:
        | {
            page?: string | undefined;
            entry_page?: string | undefined;
            exit_page?: string | undefined;
            hostname?: string | undefined;
            channel?: string | undefined;
            source?: string | undefined;
            referrer?: string | undefined;
            utm_source?: string | undefined;
            utm_medium?: string | undefined;
            utm_campaign?: string | undefined;
            utm_content?: string | undefined;
            utm_term?: string | undefined;
            country?: string | undefined;
            region?: string | undefined;
            city?: string | undefined;
            language?: string | undefined;
            browser?: string | undefined;
            browser_version?: string | undefined;
            os?: string | undefined;
            os_version?: string | undefined;
            device?: string | undefined;
            screen?: string | undefined;
            event?: string | undefined;
            goal?: string | undefined;
            ai_provider?: string | undefined;
            ai_agent?: string | undefined;
            ai_purpose?: string | undefined;
            ai_page?: string | undefined;
            ai_status?: string | undefined;

            /** Id of a funnel and one of its steps, such as `FUNNEL_ID:2`: the visitors who got no further and left, or who took the last step. Nobody matches a funnel that was deleted. */
            furthest_step?: string | undefined;
            [name: `prop:${string}`]: string;
          }
        | undefined;

      /** Further filters, as JSON. Each has a dimension (or `segment`), an operator and values, any of which may match. All filters must match. */
      filters?:
        { dimension: string; operator: 'is' | 'is_not' | 'contains' | 'contains_not'; values: string[] }[] | undefined;

      /** Id of a segment of the site. Its filters are added to those of the request. */
      segment?: string | undefined;
    };
    answer: Reading;
  };
  /** List how fast pages felt: web vitals by page or another dimension. */
  getVitals: {
    sent: {
      /** Id of a site, as `GET /v1/sites` lists it. */
      site_id: string;

      /** `60m`, `24h`: the last minutes and hours up to now. `7d`, `30d`, `91d`: full days before today. `month`, `year`: to date. `12mo`: full months. `custom`: from `date_from` to `date_to`. */
      period?:
        | 'today'
        | 'yesterday'
        | '60m'
        | '24h'
        | '7d'
        | '30d'
        | '91d'
        | 'month'
        | 'last_month'
        | 'year'
        | '12mo'
        | 'all'
        | 'custom'
        | undefined;

      /** First day, with `period=custom`: 2000-01-01 or later. */
      date_from?: string | undefined;

      /** Last day, with `period=custom`: from `date_from` to today. */
      date_to?: string | undefined;

      /** Also returns the numbers of another period as `previous`. `previous`: the period before. `weekdays`: the same, moved to the same weekdays. `year`: a year before. `custom`: from `compare_from` to `compare_to`. */
      compare?: 'previous' | 'weekdays' | 'year' | 'custom' | 'none' | undefined;

      /** First day of the comparison, with `compare=custom`. */
      compare_from?: string | undefined;

      /** Last day of the comparison, with `compare=custom`. */
      compare_to?: string | undefined;

      /** Compares with other visitors instead: the id of a segment, or `all`. The other filters of the request apply to both. */
      versus?: string | undefined;

      /** With `site`, days, `today` and dates are in the time zone of the site’s settings. Default: UTC days. */
      timezone?: 'UTC' | 'site' | undefined;

      /** What the page views are listed by. Default: `page`. */
      dimension?:
        | 'page'
        | 'entry_page'
        | 'hostname'
        | 'channel'
        | 'source'
        | 'referrer'
        | 'utm_source'
        | 'utm_medium'
        | 'utm_campaign'
        | 'utm_content'
        | 'utm_term'
        | 'country'
        | 'region'
        | 'city'
        | 'language'
        | 'browser'
        | 'browser_version'
        | 'os'
        | 'os_version'
        | 'device'
        | 'screen'
        | 'page_group'
        | 'lcp_element'
        | 'inp_element'
        | 'navigation'
        | 'connection'
        | undefined;

      /** Only rows whose name contains this text. */
      search?: string | undefined;

      /** Sorts the rows by name or by one of the metrics, for example `name:asc`. */
      order?: string | undefined;

      /** Adds `meta.series`: the same figures over time, in steps that the period allows. */
      interval?: 'minute' | 'hour' | 'day' | 'week' | 'month' | undefined;

      /** Adds `meta.histogram`: how the values of this vital are spread. */
      histogram?: 'lcp' | 'inp' | 'cls' | 'fcp' | 'ttfb' | undefined;

      /** Counts only data with this value of a dimension, for example `filter[page]=/pricing`. All filters must match. */
      filter?:
        | {
            page?: string | undefined;
            entry_page?: string | undefined;
            exit_page?: string | undefined;
            hostname?: string | undefined;
            channel?: string | undefined;
            source?: string | undefined;
            referrer?: string | undefined;
            utm_source?: string | undefined;
            utm_medium?: string | undefined;
            utm_campaign?: string | undefined;
            utm_content?: string | undefined;
            utm_term?: string | undefined;
            country?: string | undefined;
            region?: string | undefined;
            city?: string | undefined;
            language?: string | undefined;
            browser?: string | undefined;
            browser_version?: string | undefined;
            os?: string | undefined;
            os_version?: string | undefined;
            device?: string | undefined;
            screen?: string | undefined;
            event?: string | undefined;
            goal?: string | undefined;
            ai_provider?: string | undefined;
            ai_agent?: string | undefined;
            ai_purpose?: string | undefined;
            ai_page?: string | undefined;
            ai_status?: string | undefined;

            /** Id of a funnel and one of its steps, such as `FUNNEL_ID:2`: the visitors who got no further and left, or who took the last step. Nobody matches a funnel that was deleted. */
            furthest_step?: string | undefined;
            [name: `prop:${string}`]: string;
          }
        | undefined;

      /** Further filters, as JSON. Each has a dimension (or `segment`), an operator and values, any of which may match. All filters must match. */
      filters?:
        { dimension: string; operator: 'is' | 'is_not' | 'contains' | 'contains_not'; values: string[] }[] | undefined;

      /** Id of a segment of the site. Its filters are added to those of the request. */
      segment?: string | undefined;

      /** Page of the list. */
      page?: number | undefined;

      /** Entries per page. */
      per_page?: number | undefined;
    };
    answer: Vitals;
  };
  /** List errors of pages in the browsers of visitors. */
  getErrors: {
    sent: {
      /** Id of a site, as `GET /v1/sites` lists it. */
      site_id: string;

      /** `60m`, `24h`: the last minutes and hours up to now. `7d`, `30d`, `91d`: full days before today. `month`, `year`: to date. `12mo`: full months. `custom`: from `date_from` to `date_to`. */
      period?:
        | 'today'
        | 'yesterday'
        | '60m'
        | '24h'
        | '7d'
        | '30d'
        | '91d'
        | 'month'
        | 'last_month'
        | 'year'
        | '12mo'
        | 'all'
        | 'custom'
        | undefined;

      /** First day, with `period=custom`: 2000-01-01 or later. */
      date_from?: string | undefined;

      /** Last day, with `period=custom`: from `date_from` to today. */
      date_to?: string | undefined;

      /** Also returns the numbers of another period as `previous`. `previous`: the period before. `weekdays`: the same, moved to the same weekdays. `year`: a year before. `custom`: from `compare_from` to `compare_to`. */
      compare?: 'previous' | 'weekdays' | 'year' | 'custom' | 'none' | undefined;

      /** First day of the comparison, with `compare=custom`. */
      compare_from?: string | undefined;

      /** Last day of the comparison, with `compare=custom`. */
      compare_to?: string | undefined;

      /** Compares with other visitors instead: the id of a segment, or `all`. The other filters of the request apply to both. */
      versus?: string | undefined;

      /** With `site`, days, `today` and dates are in the time zone of the site’s settings. Default: UTC days. */
      timezone?: 'UTC' | 'site' | undefined;

      /** Only errors of one kind. `error`: A script stopped, and nothing caught the error. `rejection`: A promise was rejected, and nothing handled it. `load`: A script, a style or a picture of the site could not be loaded. */
      kind?: 'error' | 'rejection' | 'load' | undefined;

      /** Only rows whose name contains this text. */
      search?: string | undefined;

      /** Sorts the rows by name or by one of the metrics, for example `name:asc`. */
      order?: string | undefined;

      /** Counts only data with this value of a dimension, for example `filter[page]=/pricing`. All filters must match. */
      filter?:
        | {
            page?: string | undefined;
            entry_page?: string | undefined;
            exit_page?: string | undefined;
            hostname?: string | undefined;
            channel?: string | undefined;
            source?: string | undefined;
            referrer?: string | undefined;
            utm_source?: string | undefined;
            utm_medium?: string | undefined;
            utm_campaign?: string | undefined;
            utm_content?: string | undefined;
            utm_term?: string | undefined;
            country?: string | undefined;
            region?: string | undefined;
            city?: string | undefined;
            language?: string | undefined;
            browser?: string | undefined;
            browser_version?: string | undefined;
            os?: string | undefined;
            os_version?: string | undefined;
            device?: string | undefined;
            screen?: string | undefined;
            event?: string | undefined;
            goal?: string | undefined;
            ai_provider?: string | undefined;
            ai_agent?: string | undefined;
            ai_purpose?: string | undefined;
            ai_page?: string | undefined;
            ai_status?: string | undefined;

            /** Id of a funnel and one of its steps, such as `FUNNEL_ID:2`: the visitors who got no further and left, or who took the last step. Nobody matches a funnel that was deleted. */
            furthest_step?: string | undefined;
            [name: `prop:${string}`]: string;
          }
        | undefined;

      /** Further filters, as JSON. Each has a dimension (or `segment`), an operator and values, any of which may match. All filters must match. */
      filters?:
        { dimension: string; operator: 'is' | 'is_not' | 'contains' | 'contains_not'; values: string[] }[] | undefined;

      /** Id of a segment of the site. Its filters are added to those of the request. */
      segment?: string | undefined;

      /** Page of the list. */
      page?: number | undefined;

      /** Entries per page. */
      per_page?: number | undefined;
    };
    answer: Errors;
  };
  /** Get metrics by weekday and hour. */
  getWeek: {
    sent: {
      /** Id of a site, as `GET /v1/sites` lists it. */
      site_id: string;

      /** `60m`, `24h`: the last minutes and hours up to now. `7d`, `30d`, `91d`: full days before today. `month`, `year`: to date. `12mo`: full months. `custom`: from `date_from` to `date_to`. */
      period?:
        | 'today'
        | 'yesterday'
        | '60m'
        | '24h'
        | '7d'
        | '30d'
        | '91d'
        | 'month'
        | 'last_month'
        | 'year'
        | '12mo'
        | 'all'
        | 'custom'
        | undefined;

      /** First day, with `period=custom`: 2000-01-01 or later. */
      date_from?: string | undefined;

      /** Last day, with `period=custom`: from `date_from` to today. */
      date_to?: string | undefined;

      /** With `site`, days, `today` and dates are in the time zone of the site’s settings. Default: UTC days. */
      timezone?: 'UTC' | 'site' | undefined;

      /** Comma-separated metrics. Default: `unique_visitors`. */
      metrics?:
        | (
            | 'unique_visitors'
            | 'visits'
            | 'pageviews'
            | 'views_per_visit'
            | 'bounce_rate'
            | 'visit_duration'
            | 'time_on_page'
            | 'scroll_depth'
            | 'events'
            | 'conversions'
            | 'converted_visitors'
            | 'conversion_rate'
            | 'revenue'
            | 'revenue_confirmed'
            | 'orders'
            | 'average_order'
            | 'refunds'
            | 'implausible_orders'
            | 'ai_visits'
          )[]
        | undefined;

      /** Counts only data with this value of a dimension, for example `filter[page]=/pricing`. All filters must match. */
      filter?:
        | {
            page?: string | undefined;
            entry_page?: string | undefined;
            exit_page?: string | undefined;
            hostname?: string | undefined;
            channel?: string | undefined;
            source?: string | undefined;
            referrer?: string | undefined;
            utm_source?: string | undefined;
            utm_medium?: string | undefined;
            utm_campaign?: string | undefined;
            utm_content?: string | undefined;
            utm_term?: string | undefined;
            country?: string | undefined;
            region?: string | undefined;
            city?: string | undefined;
            language?: string | undefined;
            browser?: string | undefined;
            browser_version?: string | undefined;
            os?: string | undefined;
            os_version?: string | undefined;
            device?: string | undefined;
            screen?: string | undefined;
            event?: string | undefined;
            goal?: string | undefined;
            ai_provider?: string | undefined;
            ai_agent?: string | undefined;
            ai_purpose?: string | undefined;
            ai_page?: string | undefined;
            ai_status?: string | undefined;

            /** Id of a funnel and one of its steps, such as `FUNNEL_ID:2`: the visitors who got no further and left, or who took the last step. Nobody matches a funnel that was deleted. */
            furthest_step?: string | undefined;
            [name: `prop:${string}`]: string;
          }
        | undefined;

      /** Further filters, as JSON. Each has a dimension (or `segment`), an operator and values, any of which may match. All filters must match. */
      filters?:
        { dimension: string; operator: 'is' | 'is_not' | 'contains' | 'contains_not'; values: string[] }[] | undefined;

      /** Id of a segment of the site. Its filters are added to those of the request. */
      segment?: string | undefined;

      /** The currency of `revenue`, `revenue_confirmed`, `average_order` and `refunds`. If it is given, `orders` counts those in it, too, else those in all currencies. Default: the currency of the site. Nothing is converted. */
      currency?: string | undefined;
    };
    answer: Week;
  };
  /** Get where visits go from a page, an event or a goal. */
  getJourney: {
    sent: {
      /** Id of a site, as `GET /v1/sites` lists it. */
      site_id: string;

      /** Where the journey starts: `page:/pricing`, `event:signup` or `goal:GOAL_ID`. */
      start: string;

      /** `60m`, `24h`: the last minutes and hours up to now. `7d`, `30d`, `91d`: full days before today. `month`, `year`: to date. `12mo`: full months. `custom`: from `date_from` to `date_to`. */
      period?:
        | 'today'
        | 'yesterday'
        | '60m'
        | '24h'
        | '7d'
        | '30d'
        | '91d'
        | 'month'
        | 'last_month'
        | 'year'
        | '12mo'
        | 'all'
        | 'custom'
        | undefined;

      /** First day, with `period=custom`: 2000-01-01 or later. */
      date_from?: string | undefined;

      /** Last day, with `period=custom`: from `date_from` to today. */
      date_to?: string | undefined;

      /** With `site`, days, `today` and dates are in the time zone of the site’s settings. Default: UTC days. */
      timezone?: 'UTC' | 'site' | undefined;

      /** `forwards`: what comes after the start. `backwards`: what comes before it. */
      direction?: 'forwards' | 'backwards' | undefined;

      /** Steps of the journey, with its start. */
      steps?: number | undefined;

      /** Counts only data with this value of a dimension, for example `filter[page]=/pricing`. All filters must match. */
      filter?:
        | {
            page?: string | undefined;
            entry_page?: string | undefined;
            exit_page?: string | undefined;
            hostname?: string | undefined;
            channel?: string | undefined;
            source?: string | undefined;
            referrer?: string | undefined;
            utm_source?: string | undefined;
            utm_medium?: string | undefined;
            utm_campaign?: string | undefined;
            utm_content?: string | undefined;
            utm_term?: string | undefined;
            country?: string | undefined;
            region?: string | undefined;
            city?: string | undefined;
            language?: string | undefined;
            browser?: string | undefined;
            browser_version?: string | undefined;
            os?: string | undefined;
            os_version?: string | undefined;
            device?: string | undefined;
            screen?: string | undefined;
            event?: string | undefined;
            goal?: string | undefined;
            ai_provider?: string | undefined;
            ai_agent?: string | undefined;
            ai_purpose?: string | undefined;
            ai_page?: string | undefined;
            ai_status?: string | undefined;

            /** Id of a funnel and one of its steps, such as `FUNNEL_ID:2`: the visitors who got no further and left, or who took the last step. Nobody matches a funnel that was deleted. */
            furthest_step?: string | undefined;
            [name: `prop:${string}`]: string;
          }
        | undefined;

      /** Further filters, as JSON. Each has a dimension (or `segment`), an operator and values, any of which may match. All filters must match. */
      filters?:
        { dimension: string; operator: 'is' | 'is_not' | 'contains' | 'contains_not'; values: string[] }[] | undefined;

      /** Id of a segment of the site. Its filters are added to those of the request. */
      segment?: string | undefined;
    };
    answer: Journey;
  };
  /** Get what AI providers read, and the visits they sent. */
  getAiVisits: {
    sent: {
      /** Id of a site, as `GET /v1/sites` lists it. */
      site_id: string;

      /** `60m`, `24h`: the last minutes and hours up to now. `7d`, `30d`, `91d`: full days before today. `month`, `year`: to date. `12mo`: full months. `custom`: from `date_from` to `date_to`. */
      period?:
        | 'today'
        | 'yesterday'
        | '60m'
        | '24h'
        | '7d'
        | '30d'
        | '91d'
        | 'month'
        | 'last_month'
        | 'year'
        | '12mo'
        | 'all'
        | 'custom'
        | undefined;

      /** First day, with `period=custom`: 2000-01-01 or later. */
      date_from?: string | undefined;

      /** Last day, with `period=custom`: from `date_from` to today. */
      date_to?: string | undefined;

      /** Also returns the numbers of another period as `previous`. `previous`: the period before. `weekdays`: the same, moved to the same weekdays. `year`: a year before. `custom`: from `compare_from` to `compare_to`. */
      compare?: 'previous' | 'weekdays' | 'year' | 'custom' | 'none' | undefined;

      /** First day of the comparison, with `compare=custom`. */
      compare_from?: string | undefined;

      /** Last day of the comparison, with `compare=custom`. */
      compare_to?: string | undefined;

      /** With `site`, days, `today` and dates are in the time zone of the site’s settings. Default: UTC days. */
      timezone?: 'UTC' | 'site' | undefined;

      /** Length of a step. The default depends on the period. Weeks start on Monday. At most 12,000 steps: minutes for up to a week, hours for up to a year. */
      interval?: 'minute' | 'hour' | 'day' | 'week' | 'month' | undefined;

      /** Counts only data with this value of a dimension, for example `filter[page]=/pricing`. All filters must match. */
      filter?:
        | {
            page?: string | undefined;
            entry_page?: string | undefined;
            exit_page?: string | undefined;
            hostname?: string | undefined;
            channel?: string | undefined;
            source?: string | undefined;
            referrer?: string | undefined;
            utm_source?: string | undefined;
            utm_medium?: string | undefined;
            utm_campaign?: string | undefined;
            utm_content?: string | undefined;
            utm_term?: string | undefined;
            country?: string | undefined;
            region?: string | undefined;
            city?: string | undefined;
            language?: string | undefined;
            browser?: string | undefined;
            browser_version?: string | undefined;
            os?: string | undefined;
            os_version?: string | undefined;
            device?: string | undefined;
            screen?: string | undefined;
            event?: string | undefined;
            goal?: string | undefined;
            ai_provider?: string | undefined;
            ai_agent?: string | undefined;
            ai_purpose?: string | undefined;
            ai_page?: string | undefined;
            ai_status?: string | undefined;

            /** Id of a funnel and one of its steps, such as `FUNNEL_ID:2`: the visitors who got no further and left, or who took the last step. Nobody matches a funnel that was deleted. */
            furthest_step?: string | undefined;
            [name: `prop:${string}`]: string;
          }
        | undefined;

      /** Further filters, as JSON. Each has a dimension (or `segment`), an operator and values, any of which may match. All filters must match. */
      filters?:
        { dimension: string; operator: 'is' | 'is_not' | 'contains' | 'contains_not'; values: string[] }[] | undefined;
    };
    answer: AiVisits;
  };
  /** Understand a question in plain words. */
  ask: {
    sent: {
      /** Id of a site, as `GET /v1/sites` lists it. */
      site_id: string;

      /** The question, in English. */
      q: string;
    };
    answer: { data: Asked };
  };
  /** Get the current visitors of a site. */
  getLive: {
    sent: {
      /** Id of a site, as `GET /v1/sites` lists it. */
      site_id: string;
    };
    answer: { data: Live };
  };
  /** Get the rows of a day as a file. */
  exportDay: {
    sent: {
      /** Id of a site, as `GET /v1/sites` lists it. */
      site_id: string;

      /** A day of the site that is over: 2000-01-01 or later. */
      day: string;

      /** `events`: page views, events and the ends of page views. `ai_visits`: visits by AI agents. */
      table?: 'events' | 'ai_visits' | undefined;

      /** `ndjson`: a line of JSON for each row. `parquet`: Apache Parquet, compressed with zstd. */
      format?: 'ndjson' | 'parquet' | undefined;
    };
    answer: Uint8Array;
  };
  /** List the share links of a site. */
  listShareLinks: {
    sent: {
      /** Id of a site, as `GET /v1/sites` lists it. */
      site_id: string;

      /** Page of the list. */
      page?: number | undefined;

      /** Entries per page. */
      per_page?: number | undefined;
    };
    answer: { data: ShareLink[]; meta: { page: number; per_page: number; total: number } };
  };
  /** Create a share link. */
  createShareLink: {
    sent: {
      /** Id of a site, as `GET /v1/sites` lists it. */
      site_id: string;

      /** Only members see it, and the note. */
      name: string;
      shows?:
        | {
            properties?: boolean | undefined;
            fewest?: number | undefined;
            credit?: boolean | undefined;
            embedded_on?: string[] | undefined;
          }
        | undefined;
      rules?:
        | {
            filters?:
              | { dimension: string; operator: 'is' | 'is_not' | 'contains' | 'contains_not'; values: string[] }[]
              | undefined;
            period?: { days: number } | { date_from: string; date_to: string } | null | undefined;
            parts?:
              | (
                  | 'sources'
                  | 'pages'
                  | 'places'
                  | 'devices'
                  | 'events'
                  | 'revenue'
                  | 'goals'
                  | 'funnels'
                  | 'journeys'
                  | 'week'
                  | 'ai'
                  | 'live'
                )[]
              | null
              | undefined;
            timezone?: 'site' | 'UTC' | undefined;
          }
        | undefined;
      looks?:
        | {
            theme?: 'light' | 'dark' | null | undefined;
            arrangement?:
              | {
                  order?:
                    | (
                        | 'figures'
                        | 'reading'
                        | 'sources'
                        | 'pages'
                        | 'places'
                        | 'devices'
                        | 'events'
                        | 'payments'
                        | 'goals'
                        | 'funnels'
                        | 'journeys'
                        | 'speed'
                        | 'ai'
                        | 'mentions'
                      )[]
                    | undefined;
                  folded?:
                    | (
                        | 'figures'
                        | 'reading'
                        | 'sources'
                        | 'pages'
                        | 'places'
                        | 'devices'
                        | 'events'
                        | 'payments'
                        | 'goals'
                        | 'funnels'
                        | 'journeys'
                        | 'speed'
                        | 'ai'
                        | 'mentions'
                      )[]
                    | undefined;
                  hidden?:
                    | (
                        | 'figures'
                        | 'reading'
                        | 'sources'
                        | 'pages'
                        | 'places'
                        | 'devices'
                        | 'events'
                        | 'payments'
                        | 'goals'
                        | 'funnels'
                        | 'journeys'
                        | 'speed'
                        | 'ai'
                        | 'mentions'
                      )[]
                    | undefined;
                  figures?:
                    | (
                        | 'unique_visitors'
                        | 'visits'
                        | 'pageviews'
                        | 'views_per_visit'
                        | 'bounce_rate'
                        | 'visit_duration'
                        | 'time_on_page'
                        | 'scroll_depth'
                        | 'events'
                        | 'conversions'
                        | 'converted_visitors'
                        | 'conversion_rate'
                        | 'revenue'
                        | 'revenue_confirmed'
                        | 'orders'
                        | 'average_order'
                        | 'refunds'
                        | 'implausible_orders'
                        | 'ai_visits'
                      )[]
                    | undefined;
                }
              | null
              | undefined;
          }
        | undefined;
      note?: string | undefined;

      /** When the link ends; never by default. */
      expires_at?: string | null | undefined;
      paused?: boolean | undefined;

      /** Also opens the link to everybody at `/share/DOMAIN`. One link of a site can be public, without a password. */
      public?: boolean | undefined;

      /** Search engines may list the page of a public link. */
      indexed?: boolean | undefined;

      /** What viewers must enter; at least 8 characters. */
      password?: string | null | undefined;
    };
    answer: { data: NewShareLink };
  };
  /** Revoke a share link. */
  revokeShareLink: {
    sent: {
      /** Id of a share link, as `GET /v1/share-links` lists it. */
      link_id: string;
    };
    answer: {
      data: {
        /** The id of the link. */
        revoked: string;
      };
    };
  };
  /** Write a note on a day. */
  createNote: {
    sent: {
      /** Id of a site, as `GET /v1/sites` lists it. */
      site_id: string;

      /** What happened, such as the name of a release. */
      text: string;

      /** A date of the site’s own time zone; today by default. */
      day?: string | undefined;

      /** Hides it from the viewers of share links. */
      is_private?: boolean | undefined;

      /** Speed and errors are compared with what was there before a `release`, and alerts tell of errors that it brought. The default, as most programs that write notes deploy something. */
      kind?: 'note' | 'release' | undefined;
    };
    answer: { data: Note };
  };
  /** Record an event from a server. */
  recordEvent: {
    sent: {
      /** Id of a site, as `GET /v1/sites` lists it. */
      site_id: string;

      /** Name of the event, as the dashboard shows it. */
      name: string;

      /** The page of the event, counted by its path. Only `utm_*`, `ref` and `source` of the query are read; the rest is not stored. */
      url: string;

      /** Properties of the event. Never include names, e-mail addresses or IP addresses. */
      props?: Record<string, string | number> | undefined;

      /** The amount that was paid or refunded. It counts as confirmed revenue. */
      revenue?:
        | {
            /** In units of the currency: 12.5 is twelve and a half. Negative for a refund. */
            amount: number;
            currency: string;
          }
        | undefined;

      /** Your own order number. An order counts once, and your report of it replaces a browser’s. If a browser sent the same number on the same day, the event belongs to that visit, and so has its source. With an order number, an `Idempotency-Key` never expires. Only a keyed hash of the number is stored. */
      order_id?: string | undefined;
    };
    answer: { data: Acceptance };
  };
  /** Record up to 100 events. */
  recordEvents: {
    sent: {
      events: {
        /** Id of a site, as `GET /v1/sites` lists it. */
        site_id: string;

        /** Name of the event, as the dashboard shows it. */
        name: string;

        /** The page of the event, counted by its path. Only `utm_*`, `ref` and `source` of the query are read; the rest is not stored. */
        url: string;

        /** Properties of the event. Never include names, e-mail addresses or IP addresses. */
        props?: Record<string, string | number> | undefined;

        /** The amount that was paid or refunded. It counts as confirmed revenue. */
        revenue?:
          | {
              /** In units of the currency: 12.5 is twelve and a half. Negative for a refund. */
              amount: number;
              currency: string;
            }
          | undefined;

        /** Your own order number. An order counts once, and your report of it replaces a browser’s. If a browser sent the same number on the same day, the event belongs to that visit, and so has its source. With an order number, an `Idempotency-Key` never expires. Only a keyed hash of the number is stored. */
        order_id?: string | undefined;
      }[];
    };
    answer: { data: Acceptance[] };
  };
};

/** Method and path of each operation. */
export const OPERATIONS = {
  listSites: { method: 'GET', path: '/v1/sites' },
  getSite: { method: 'GET', path: '/v1/sites/{site_id}' },
  listGroups: { method: 'GET', path: '/v1/groups' },
  getGroupStats: { method: 'GET', path: '/v1/groups/{group_id}/stats' },
  getGroupTimeseries: { method: 'GET', path: '/v1/groups/{group_id}/timeseries' },
  listGoals: { method: 'GET', path: '/v1/goals' },
  listFunnels: { method: 'GET', path: '/v1/funnels' },
  listSegments: { method: 'GET', path: '/v1/segments' },
  getFunnel: { method: 'GET', path: '/v1/funnels/{funnel_id}' },
  getStats: { method: 'GET', path: '/v1/stats' },
  getTimeseries: { method: 'GET', path: '/v1/stats/timeseries' },
  getBreakdown: { method: 'GET', path: '/v1/stats/breakdown' },
  getSearchTerms: { method: 'GET', path: '/v1/stats/search-terms' },
  getReading: { method: 'GET', path: '/v1/stats/reading' },
  getVitals: { method: 'GET', path: '/v1/stats/vitals' },
  getErrors: { method: 'GET', path: '/v1/stats/errors' },
  getWeek: { method: 'GET', path: '/v1/stats/week' },
  getJourney: { method: 'GET', path: '/v1/stats/journey' },
  getAiVisits: { method: 'GET', path: '/v1/stats/ai-visits' },
  ask: { method: 'GET', path: '/v1/ask' },
  getLive: { method: 'GET', path: '/v1/live' },
  exportDay: { method: 'GET', path: '/v1/export', isFile: true },
  listShareLinks: { method: 'GET', path: '/v1/share-links' },
  createShareLink: { method: 'POST', path: '/v1/share-links' },
  revokeShareLink: { method: 'DELETE', path: '/v1/share-links/{link_id}' },
  createNote: { method: 'POST', path: '/v1/notes' },
  recordEvent: { method: 'POST', path: '/v1/events' },
  recordEvents: { method: 'POST', path: '/v1/events/batch' },
} as const;
