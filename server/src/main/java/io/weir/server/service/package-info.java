/**
 * The HTTP interface of the service port: checks, forward-auth, and reservations.
 *
 * <p>Uses http and the decision path. Used by the server.
 */
@NullMarked
package io.weir.server.service;

import org.jspecify.annotations.NullMarked;
