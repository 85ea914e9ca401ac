package io.weir.server.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.weir.TimeSource;
import io.weir.rig.Await;
import io.weir.rig.CertificateAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reloading of changed certificates. */
@Tag("slow")
class CertificateReloaderTest extends SecurePort {
  @Test
  void newConnectionsGetNewCertificateAndOldOnesContinue() throws Exception {
    CertificateFiles files = install(AUTHORITY.issue("first"));
    int port = listen(files, Optional.empty());
    try (SSLSocket old = connect(port)) {
      assertThat(exchange(old)).isEqualTo("hello");

      install(AUTHORITY.issue("second"));

      Await.holds("the second certificate is shown", () -> shown(port).equals("CN=second"));
      assertThat(exchange(old)).isEqualTo("hello");
      assertThat(owner(old)).isEqualTo("CN=first");
    }
  }

  @Test
  void reloadsClientAuthority() throws Exception {
    Path ca = Files.copy(AUTHORITY.certificate(), directory.resolve("clients.crt"));
    int port = listen(install(AUTHORITY.issue("server")), Optional.of(ca));
    CertificateAuthority next = new CertificateAuthority("next");
    SSLContext oldFriend = context(AUTHORITY.issue("old-friend"));
    SSLContext newFriend = context(next.issue("new-friend"));
    assertThat(get(port, oldFriend).statusCode()).isEqualTo(200);

    Files.copy(next.certificate(), ca, StandardCopyOption.REPLACE_EXISTING);

    Await.holds("the new friend gets in", () -> get(port, newFriend).statusCode() == 200);
    Await.holds("the old one does not", () -> isTurnedAway(port, oldFriend));
  }

  private static boolean isTurnedAway(int port, SSLContext friend) throws Exception {
    try {
      get(port, friend);
      return false;
    } catch (IOException turnedAway) {
      return true;
    }
  }

  @Test
  void ignoresBrokenFiles() throws Exception {
    CertificateFiles files = install(AUTHORITY.issue("good"));
    int port = listen(files, Optional.empty());

    Files.writeString(files.certificate(), "-----BEGIN CERTIFICATE-----\nnonsense\n");
    complaints.awaitWarning("cannot be read");
    assertThat(shown(port)).isEqualTo("CN=good");

    Files.delete(files.certificate());
    complaints.awaitWarning("does not exist");
    assertThat(shown(port)).isEqualTo("CN=good");

    install(AUTHORITY.issueExpired("expired"));
    complaints.awaitWarning("is valid only from");
    assertThat(shown(port)).isEqualTo("CN=good");

    install(AUTHORITY.issue("better"));
    Await.holds("the better certificate is shown", () -> shown(port).equals("CN=better"));
    for (String each : List.of("cannot be read", "does not exist", "is valid only from")) {
      assertThat(complaints.warnings())
          .filteredOn(warning -> warning.contains(each))
          .as("once: %s", each)
          .hasSize(1);
    }
  }

  @Test
  void retriesCertificateThatThePortRejected() throws Exception {
    CertificateFiles files = install(AUTHORITY.issue("old"));
    TlsMaterial old = files.read();
    install(AUTHORITY.issue("new"));
    AtomicInteger tries = new AtomicInteger();
    CertificateReloader renewal =
        new CertificateReloader(
            vertx,
            files,
            old,
            next ->
                tries.incrementAndGet() < 4
                    ? Future.failedFuture("no room")
                    : Future.succeededFuture(),
            TimeSource.system());

    Await.holds("the fourth time", () -> tries.get() == 4);
    complaints.awaitWarning("the port rejected it: ");
    assertThat(complaints.warnings()).as("once").hasSize(1);
    renewal.stop();
  }

  /** Does not wait for the next check; the first one already reports a problem. */
  @Test
  void checksAtOnceOnRequest() throws Exception {
    CertificateFiles files = install(AUTHORITY.issue("old"));
    AtomicInteger taken = new AtomicInteger();
    CertificateReloader renewal =
        new CertificateReloader(
            vertx,
            files,
            files.read(),
            next -> Future.succeededFuture(taken.incrementAndGet()),
            TimeSource.system());
    renewal.stop(); // no checks except those requested

    install(AUTHORITY.issue("new"));
    await(renewal.now());
    assertThat(taken.get()).isEqualTo(1);

    Files.writeString(files.key(), "nonsense");
    await(renewal.now());
    await(renewal.now());
    assertThat(complaints.warnings()).as("at each reload").hasSize(2);
    assertThat(taken.get()).isEqualTo(1);
  }

  /** Validating the same files each second would be wasted work. */
  @Test
  void doesNotValidateCertificateInUseAgain() throws Exception {
    CertificateFiles files = install(AUTHORITY.issue("good"));
    Files.writeString(files.certificate(), "nonsense, which nobody reads");

    assertThat(CertificateReloader.look(vertx, files, files.read(), TimeSource.system()).problem())
        .isNull();
  }

  @Test
  void ignoresCertificateWithoutMatchingKey() throws Exception {
    CertificateFiles files = install(AUTHORITY.issue("whole"));
    int port = listen(files, Optional.empty());
    CertificateAuthority.Identity next = AUTHORITY.issue("next");

    Files.copy(next.certificate(), files.certificate(), StandardCopyOption.REPLACE_EXISTING);
    complaints.awaitWarning("the key does not belong to the certificate");
    assertThat(shown(port)).isEqualTo("CN=whole");

    Files.copy(next.key(), files.key(), StandardCopyOption.REPLACE_EXISTING);
    Await.holds("the next certificate is shown", () -> shown(port).equals("CN=next"));
  }
}
