package io.weir.spring;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ResponseStatus;

/** A call has attributes that rules cannot make sense of, such as a negative cost. */
@ResponseStatus(HttpStatus.BAD_REQUEST) // of no effect where there is no web
final class UnreadableCallException extends IllegalArgumentException {
  UnreadableCallException(String method, String why) {
    super("a call of " + method + " cannot be judged: " + why);
  }
}
