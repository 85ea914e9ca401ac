package io.weir.server.http;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Looks once a second whether the files of a port's certificate have changed, and gives the port
 * what they hold now. Connections that there are go on with what they began with.
 *
 * <p>It compares contents, not times: links that are swapped and copies within the same second are
 * seen too. Two files cannot be replaced at once, so what does not go together is not used, and
 * complained about only if it is still so a second later.
 */
final class TlsRenewal {
  private static final Logger LOG = System.getLogger("io.weir.server");
  private static final long MILLIS = 1000;
  private static final long RETRY_MILLIS = 20;

  private final Vertx vertx;
  private final TlsFiles files;
  private final Function<TlsMaterial, Future<?>> port;
  private final Context loop;
  private final long timer;

  // All below belongs to the event loop of the timer.
  private TlsMaterial inUse;
  private @Nullable Look refused;
  private boolean isComplained;
  private boolean isBusy;

  /**
   * Begins to look.
   *
   * @param inUse what the port was opened with
   * @param port takes what is new
   */
  TlsRenewal(
      Vertx vertx, TlsFiles files, TlsMaterial inUse, Function<TlsMaterial, Future<?>> port) {
    this.vertx = vertx;
    this.files = files;
    this.inUse = inUse;
    this.port = port;
    this.loop = vertx.getOrCreateContext();
    this.timer = vertx.setPeriodic(MILLIS, tick -> begin());
  }

  /** Looks at once, from any thread; what cannot be used is reported at once too. */
  Future<Void> now() {
    Promise<Void> done = Promise.promise();
    loop.runOnContext(start -> lookNow(done));
    return done.future();
  }

  private void lookNow(Promise<Void> done) {
    if (isBusy) {
      vertx.setTimer(RETRY_MILLIS, later -> lookNow(done));
      return;
    }
    refused = null;
    begin()
        .onComplete(
            first -> {
              Look look = refused;
              if (look != null) {
                remember(look); // seen twice: it is reported
              }
              done.complete();
            });
  }

  void stop() {
    vertx.cancelTimer(timer);
  }

  private Future<Look> begin() {
    if (isBusy) {
      return Future.failedFuture("looking already");
    }
    isBusy = true;
    TlsMaterial known = inUse;
    return vertx
        .executeBlocking(() -> look(vertx, files, known))
        .compose(this::use)
        .onComplete(done -> isBusy = false)
        .onSuccess(this::remember)
        .onFailure(e -> LOG.log(Level.WARNING, "the TLS certificate could not be changed", e));
  }

  /** What the files hold; what is in use already is not judged again. */
  static Look look(Vertx vertx, TlsFiles files, TlsMaterial known) {
    TlsMaterial found = null;
    try {
      found = files.read();
      if (!found.equals(known)) {
        found.requireCurrent(vertx, Instant.now());
      }
      return new Look(found, null);
    } catch (UnusableTlsException e) {
      return new Look(found, e.getMessage());
    }
  }

  /** The look; with a problem more if the port does not take what was seen. */
  private Future<Look> use(Look look) {
    TlsMaterial found = look.found;
    if (found == null || look.problem != null || found.equals(inUse)) {
      return Future.succeededFuture(look);
    }
    return port.apply(found)
        .transform(
            done ->
                Future.succeededFuture(
                    done.succeeded()
                        ? look
                        : new Look(found, "the port does not take it: " + done.cause())));
  }

  private void remember(Look look) {
    TlsMaterial found = look.found;
    if (found != null && look.problem == null) {
      refused = null;
      if (!found.equals(inUse)) {
        inUse = found;
        LOG.log(Level.INFO, "new TLS certificate from {0}", files.certificate());
      }
    } else if (!look.equals(refused)) {
      refused = look;
      isComplained = false;
    } else if (!isComplained) {
      isComplained = true;
      LOG.log(
          Level.WARNING,
          "the TLS certificate in {0} is not used, the one before stays: {1}",
          files.certificate(),
          look.problem);
    }
  }

  /**
   * What was seen.
   *
   * @param found null if a file could not be read
   * @param problem null if it can be used
   */
  record Look(@Nullable TlsMaterial found, @Nullable String problem) {}
}
