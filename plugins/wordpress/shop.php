<?php
/**
 * WooCommerce: the browser claims an order on the page that thanks for it, and this server confirms its payment and refunds.
 * Orders are read through WooCommerce alone, wherever it keeps them. Nothing about the customer is sent.
 *
 * @package Footfall
 */

defined( 'ABSPATH' ) || exit;

/** The action of a report to the server, also its group. */
const FOOTFALL_REPORT = 'footfall_report';
/** How often a report is tried, for a day and a half: after 1, 4, 16 and 64 minutes, then every four hours. */
const FOOTFALL_ATTEMPTS = 13;

/**
 * The amount of an order, or of a refund below 0, as Footfall takes it.
 *
 * @param WC_Abstract_Order $order Order or refund.
 * @return array{amount:float,currency:string}
 */
function footfall_revenue( $order ) {
	$total  = round( (float) $order->get_total(), 4 );
	$amount = $order instanceof WC_Order_Refund ? -abs( $total ) : max( 0, $total );
	return array(
		'amount'   => is_finite( $amount ) ? $amount : 0,
		'currency' => strtoupper( $order->get_currency() ),
	);
}

/**
 * What a page of the shop sends. An order is named by its key, which nobody can guess, unlike its number.
 *
 * @return array[]
 */
function footfall_shop_events() {
	if ( ! function_exists( 'WC' ) ) {
		return array();
	}
	$events = WC()->session ? (array) WC()->session->get( 'footfall', array() ) : array();
	if ( $events ) {
		unset( WC()->session->footfall );
	}
	if ( is_checkout() && ! is_wc_endpoint_url() ) {
		$events[] = array( 'begin_checkout', array() );
	}
	if ( is_order_received_page() ) {
		$order = wc_get_order( absint( get_query_var( 'order-received' ) ) );
		// The key in the address is what WooCommerce itself asks for.
		$key = isset( $_GET['key'] ) ? sanitize_text_field( wp_unslash( $_GET['key'] ) ) : ''; // phpcs:ignore WordPress.Security.NonceVerification.Recommended
		if ( $order instanceof WC_Order && '' !== $key && hash_equals( $order->get_order_key(), $key ) && ! $order->has_status( array( 'failed', 'cancelled' ) ) ) {
			$items    = $order->get_items();
			$details  = array(
				'revenue'  => footfall_revenue( $order ),
				'order_id' => $key,
			);
			$events[] = array( 'purchase', 1 === count( $items ) ? $details + footfall_product( reset( $items )->get_name() ) : $details );
		}
	}
	return $events;
}

/**
 * The property that tells a product.
 *
 * @param string $name Name of the product.
 * @return array{props:array{product:string}}
 */
function footfall_product( $name ) {
	return array( 'props' => array( 'product' => mb_substr( wp_strip_all_tags( $name ), 0, 200 ) ) );
}

// Buttons in lists add without a new page, so the browser tells the click. What else is added is told on the next page that is shown.
add_filter(
	'woocommerce_loop_add_to_cart_args',
	function ( $args, $product ) {
		if ( footfall_settings()['orders'] && false !== strpos( $args['class'] ?? '', 'ajax_add_to_cart' ) ) {
			$args['attributes']['data-foot']         = 'add_to_cart';
			$args['attributes']['data-foot-product'] = footfall_product( $product->get_name() )['props']['product'];
		}
		return $args;
	},
	10,
	2
);
add_action(
	'woocommerce_add_to_cart',
	function ( $key, $product_id ) {
		$product = wc_get_product( $product_id );
		$is_page = ! wp_doing_ajax() && ! ( defined( 'REST_REQUEST' ) && REST_REQUEST );
		if ( $is_page && $product && WC()->session && footfall_settings()['orders'] ) {
			$waiting   = array_slice( (array) WC()->session->get( 'footfall', array() ), -9 );
			$waiting[] = array( 'add_to_cart', footfall_product( $product->get_name() ) );
			WC()->session->set( 'footfall', $waiting );
		}
	},
	10,
	2
);

/**
 * Queues a report, so that neither a customer nor an admin waits for it. Reports that are queued twice count once.
 *
 * @param int $id      Order or refund.
 * @param int $attempt Number of attempts before.
 */
function footfall_queue( $id, $attempt = 0 ) {
	if ( footfall_settings()['orders'] && '' !== footfall_settings()['key'] ) {
		$delay = $attempt ? min( 4 ** ( $attempt - 1 ), 240 ) * MINUTE_IN_SECONDS : 0;
		as_schedule_single_action( time() + $delay, FOOTFALL_REPORT, array( (int) $id, $attempt ), FOOTFALL_REPORT );
	}
}

foreach ( array( 'payment_complete', 'order_status_processing', 'order_status_completed' ) as $footfall_hook ) {
	add_action(
		'woocommerce_' . $footfall_hook,
		function ( $id ) {
			if ( ! as_next_scheduled_action( FOOTFALL_REPORT, array( (int) $id, 0 ), FOOTFALL_REPORT ) ) {
				footfall_queue( $id );
			}
		}
	);
}
add_action(
	'woocommerce_order_refunded',
	function ( $order_id, $refund_id ) {
		footfall_queue( $refund_id );
	},
	10,
	2
);

add_action( FOOTFALL_REPORT, 'footfall_report', 10, 2 );

/**
 * Reports a payment or a refund. One that fails is tried again later, except when the server says that it would never take it.
 *
 * @param int $id      Order or refund.
 * @param int $attempt Number of attempts before.
 */
function footfall_report( $id, $attempt = 0 ) {
	$paid  = wc_get_order( $id );
	$order = $paid instanceof WC_Order_Refund ? wc_get_order( $paid->get_parent_id() ) : $paid;
	if ( ! $order instanceof WC_Order || ! $order->get_date_paid() ) {
		return;
	}
	$site = footfall_site();
	if ( is_string( $site ) ) {
		$event   = array(
			'site_id'  => $site,
			'name'     => $paid === $order ? 'purchase' : 'refund',
			'url'      => wc_get_checkout_url(),
			'order_id' => $order->get_order_key(),
			'revenue'  => footfall_revenue( $paid ),
		);
		$headers = array(
			'content-type'    => 'application/json',
			'idempotency-key' => ( $paid === $order ? 'woocommerce-' : 'woocommerce-refund-' ) . $id,
		);
		$site    = footfall_api( '/events', $headers, wp_json_encode( $event ) );
	}
	$problem = (array) get_transient( 'footfall_problem' );
	if ( ! is_wp_error( $site ) ) {
		if ( isset( $problem[ $id ] ) ) {
			delete_transient( 'footfall_problem' );
		}
		return;
	}
	/* translators: 1: number of an order, 2: what is wrong. */
	set_transient( 'footfall_problem', array( $id => sprintf( __( 'Order %1$d could not be confirmed: %2$s', 'footfall' ), $order->get_id(), $site->get_error_message() ) ), WEEK_IN_SECONDS );
	if ( 400 !== $site->get_error_code() && $attempt + 1 < FOOTFALL_ATTEMPTS ) {
		footfall_queue( $id, $attempt + 1 );
	}
}

/**
 * Asks the API. Reports a failure as an error with the status and the server's own sentence.
 *
 * @param string      $path    After `/v1`.
 * @param array       $headers Besides the key.
 * @param string|null $body    JSON to post.
 * @return array|WP_Error
 */
function footfall_api( $path, $headers = array(), $body = null ) {
	$answer = footfall_ask(
		'/v1' . $path,
		array(
			'timeout' => 10,
			'method'  => null === $body ? 'GET' : 'POST',
			'headers' => $headers + array( 'authorization' => 'Bearer ' . footfall_settings()['key'] ),
			'body'    => $body,
		)
	);
	if ( is_wp_error( $answer ) ) {
		return $answer;
	}
	$status = wp_remote_retrieve_response_code( $answer );
	$said   = json_decode( wp_remote_retrieve_body( $answer ), true );
	if ( $status >= 200 && $status < 300 && is_array( $said ) ) {
		return $said;
	}
	if ( 401 === $status ) {
		return new WP_Error( $status, __( 'The server does not know this API key.', 'footfall' ) );
	}
	/* translators: %d: HTTP status. */
	return new WP_Error( $status, isset( $said['message'] ) ? (string) $said['message'] : sprintf( __( 'The server answered with status %d.', 'footfall' ), $status ) );
}

/**
 * The id of this site in Footfall, by which the API knows it.
 *
 * @return string|WP_Error
 */
function footfall_site() {
	$settings = footfall_settings();
	$known    = 'footfall_site_' . md5( $settings['server'] . $settings['key'] . $settings['domain'] );
	$site     = get_transient( $known );
	if ( $site ) {
		return $site;
	}
	$page = 0;
	do {
		$page  += 1;
		$answer = footfall_api( '/sites?per_page=100&page=' . $page );
		if ( is_wp_error( $answer ) ) {
			return $answer;
		}
		foreach ( $answer['data'] as $site ) {
			if ( $site['domain'] === $settings['domain'] ) {
				set_transient( $known, $site['id'], DAY_IN_SECONDS );
				return $site['id'];
			}
		}
	} while ( $answer['meta']['total'] > $page * 100 );
	/* translators: %s: domain. */
	return new WP_Error( 'no_site', sprintf( __( 'The account of the API key has no site %s.', 'footfall' ), $settings['domain'] ) );
}

// Orders are read only through WooCommerce, so its own tables for them are fine, and so are its blocks.
add_action(
	'before_woocommerce_init',
	function () {
		if ( class_exists( \Automattic\WooCommerce\Utilities\FeaturesUtil::class ) ) {
			foreach ( array( 'custom_order_tables', 'cart_checkout_blocks' ) as $feature ) {
				\Automattic\WooCommerce\Utilities\FeaturesUtil::declare_compatibility( $feature, __DIR__ . '/footfall.php', true );
			}
		}
	}
);
