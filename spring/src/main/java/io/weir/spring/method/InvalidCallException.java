package io.weir.spring.method;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ResponseStatus;

/** Thrown when a call has attributes that rules cannot use, such as a negative cost. */
@ResponseStatus(HttpStatus.BAD_REQUEST) // without effect outside web applications
final class InvalidCallException extends IllegalArgumentException {
  InvalidCallException(String method, String why) {
    super("a call of " + method + " cannot be checked: " + why);
  }
}
