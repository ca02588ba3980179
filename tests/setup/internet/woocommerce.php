<?php
/**
 * What the plugin uses of WooCommerce and its Action Scheduler, with their signatures, and their hooks in the order in which they call them. It is not
 * WooCommerce: products have the id that they are named by, and orders are made, paid, refunded and reported by `?wc_do=`.
 */

add_filter( 'pre_http_send_through_proxy', fn( $is_sent, $uri ) => 'shop.test' === parse_url( $uri, PHP_URL_HOST ), 10, 2 );
add_filter( 'pre_option_show_avatars', '__return_zero' );
add_action( 'template_redirect', fn() => header( "Content-Security-Policy: script-src 'self' http://127.0.0.1:*" ) );

class WooCommerce {
	public $session;
}

class WC_Session {
	private function name() {
		return 'wc_session_' . preg_replace( '/\W/', '', $_COOKIE['wc_session'] ?? '' );
	}
	public function get( $key, $default = null ) {
		return get_transient( $this->name() )[ $key ] ?? $default;
	}
	public function __unset( $key ) {
		set_transient( $this->name(), array_diff_key( get_transient( $this->name() ) ?: array(), array( $key => 0 ) ) );
	}
	public function set( $key, $value ) {
		if ( empty( $_COOKIE['wc_session'] ) ) {
			$_COOKIE['wc_session'] = wp_generate_password( 12, false );
			setcookie( 'wc_session', $_COOKIE['wc_session'], 0, '/' );
		}
		set_transient( $this->name(), array( $key => $value ) + ( get_transient( $this->name() ) ?: array() ) );
	}
}

function WC() {
	static $shop;
	if ( ! $shop ) {
		$shop          = new WooCommerce();
		$shop->session = new WC_Session();
	}
	return $shop;
}

abstract class WC_Abstract_Order {
	protected $data;
	public function __construct( $data ) {
		$this->data = $data;
	}
	public function get_id() {
		return $this->data['id'];
	}
	public function get_parent_id() {
		return $this->data['parent'];
	}
	public function get_total() {
		return $this->data['total'];
	}
	public function get_currency() {
		return $this->data['currency'];
	}
	public function has_status( $status ) {
		return in_array( $this->data['status'], (array) $status, true );
	}
	public function get_items() {
		return array_map( fn( $name ) => new WC_Product( $name ), $this->data['products'] );
	}
}
class WC_Order extends WC_Abstract_Order {
	public function get_order_key() {
		return $this->data['key'];
	}
	public function get_date_paid() {
		return $this->data['paid'] ? new DateTime( '@' . $this->data['paid'] ) : null;
	}
}
class WC_Order_Refund extends WC_Abstract_Order {}

class WC_Product {
	private $name;
	public function __construct( $name ) {
		$this->name = $name;
	}
	public function get_name() {
		return $this->name;
	}
}

function wc_get_order( $id ) {
	$data = get_option( 'wc_orders', array() )[ $id ] ?? null;
	return ! $data ? false : ( $data['parent'] ? new WC_Order_Refund( $data ) : new WC_Order( $data ) );
}
function wc_get_product( $id ) {
	return new WC_Product( $id );
}
function wc_get_checkout_url() {
	return home_url( '/checkout/' );
}
function is_checkout() {
	return 'checkout' === get_query_var( 'wc' );
}
function is_wc_endpoint_url( $endpoint = false ) {
	return is_checkout() && '' !== get_query_var( 'order-received' );
}
function is_order_received_page() {
	return is_wc_endpoint_url( 'order-received' );
}

function as_schedule_single_action( $timestamp, $hook, $args = array(), $group = '' ) {
	update_option( 'as_actions', array_merge( get_option( 'as_actions', array() ), array( array( $timestamp, $hook, $args ) ) ) );
	return 1;
}
function as_next_scheduled_action( $hook, $args = null, $group = '' ) {
	foreach ( get_option( 'as_actions', array() ) as $action ) {
		if ( array( $hook, $args ) === array( $action[1], $action[2] ) ) {
			return $action[0];
		}
	}
	return false;
}
function as_unschedule_all_actions( $hook, $args = array(), $group = '' ) {
	update_option( 'as_actions', array_filter( get_option( 'as_actions', array() ), fn( $action ) => $action[1] !== $hook ) );
}

add_filter( 'query_vars', fn( $vars ) => array_merge( $vars, array( 'wc', 'order-received' ) ) );

// A list of products: one that is added without a new page, and one that leads to its own.
add_action(
	'plain_page',
	function () {
		foreach ( array( 'ajax_add_to_cart', '' ) as $class ) {
			$args = array(
				'class'      => trim( "button add_to_cart_button $class" ),
				'attributes' => array( 'data-product_id' => 7 ),
			);
			$args = apply_filters( 'woocommerce_loop_add_to_cart_args', $args, new WC_Product( 'Red "shoes" <b>' ) );
			echo '<a href="#list" class="' . esc_attr( $args['class'] ) . '"';
			foreach ( $args['attributes'] as $name => $value ) {
				echo ' ' . esc_attr( $name ) . '="' . esc_attr( $value ) . '"';
			}
			echo '>Add</a>';
		}
	}
);

add_action(
	'wp_loaded',
	function () {
		if ( isset( $_REQUEST['add-to-cart'] ) ) {
			$product = wp_unslash( $_REQUEST['add-to-cart'] );
			do_action( 'woocommerce_add_to_cart', 'key', $product, 1, 0, array(), array() );
			if ( isset( $_REQUEST['redirect'] ) ) {
				wp_safe_redirect( home_url( '/cart/' ) );
				exit;
			}
		}
		if ( ! isset( $_REQUEST['wc_do'] ) ) {
			return;
		}
		$order  = json_decode( wp_unslash( $_REQUEST['order'] ?? '[]' ), true );
		$orders = get_option( 'wc_orders', array() );
		$id     = $order['id'] ?? 0;
		switch ( $_REQUEST['wc_do'] ) {
			case 'make':
				$orders[ $id ] = $order + array( 'parent' => 0, 'paid' => 0, 'status' => 'pending', 'products' => array() );
				update_option( 'wc_orders', $orders );
				break;
			case 'pay': // WC_Order::payment_complete()
				$orders[ $id ]['paid']   = time();
				$orders[ $id ]['status'] = 'processing';
				update_option( 'wc_orders', $orders );
				do_action( 'woocommerce_order_status_processing', $id, wc_get_order( $id ) );
				do_action( 'woocommerce_order_status_changed', $id, 'pending', 'processing', wc_get_order( $id ) );
				do_action( 'woocommerce_payment_complete', $id, 'transaction' );
				break;
			case 'refund': // wc_create_refund()
				$orders[ $id ] = $order + array( 'status' => 'completed', 'products' => array() );
				update_option( 'wc_orders', $orders );
				do_action( 'woocommerce_order_refunded', $order['parent'], $id );
				break;
			case 'run': // what Action Scheduler does once a minute
				$actions = get_option( 'as_actions', array() );
				$is_due  = fn( $action ) => $action[0] <= time();
				update_option( 'as_actions', array_filter( $actions, fn( $action ) => ! $is_due( $action ) ) );
				foreach ( array_filter( $actions, $is_due ) as $action ) {
					do_action_ref_array( $action[1], $action[2] );
				}
		}
		exit( 'done' );
	}
);
