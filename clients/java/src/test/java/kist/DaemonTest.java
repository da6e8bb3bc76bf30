package kist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Security;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.PSSParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.crypto.Cipher;
import javax.crypto.KeyAgreement;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.OAEPParameterSpec;
import javax.crypto.spec.PSource;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import kist.testing.Sandbox;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Every operation and every status against a real daemon, and one that is killed and comes back. Peers are made with Java's own cryptography. */
final class DaemonTest {
  private static final String PAN = "4109370251004320";
  private static final String MERCHANT = "merchant.com.acme";
  private static final List<String> WITHOUT_GRANT = List.of("ping", "ready", "status", "unlock", "lock", "import-key", "detokenise", "open-envelope");

  private static Sandbox sandbox;
  private static Client client;
  private static Map<String, KeyId> keys;
  private static KeyPair agreement;
  private static KeyPair unwrapping;

  @BeforeAll
  static void start() throws Exception {
    agreement = newKey("EC");
    unwrapping = newKey("RSA");
    sandbox = new Sandbox(program(), "", policy());
    keys = importKeys(sandbox);
    client = sandbox.client();
  }

  @AfterAll
  static void stop() {
    if (client != null) client.close();
    if (sandbox != null) sandbox.close();
  }

  static String program() {
    String program = System.getenv("KIST_PROGRAM");
    return program == null ? Path.of("../../.build/debug/kist").toAbsolutePath().normalize().toString() : program;
  }

  static long user() throws Exception {
    return ((Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid")).longValue();
  }

  private static String policy() throws Exception {
    String operations = String.join("\", \"", Messages.OPERATIONS.values().stream().filter(name -> !WITHOUT_GRANT.contains(name)).toList());
    return """
        [[grant]]
        id = "everything"
        users = [%1$d]
        operations = ["%2$s"]
        keys = ["test/*"]
        release = ["shared-secret", "derived-key"]
        stages = true
        quota = "1000000000/d"

        [[grant]]
        id = "reveal"
        users = [%1$d]
        operations = ["detokenise", "open-envelope"]
        keys = ["test/*"]
        release = ["dpan"]
        stages = true
        """.formatted(user(), operations);
  }

  private static KeyPair newKey(String algorithm) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
    if (algorithm.equals("EC")) generator.initialize(new ECGenParameterSpec("secp256r1"));
    else generator.initialize(2048);
    return generator.generateKeyPair();
  }

  /** RFC 5915 or PKCS#1: what {@code openssl} makes of PKCS#8. */
  private static byte[] der(KeyPair pair) throws Exception {
    return run(pair.getPrivate().getEncoded(), "openssl", "pkey", "-inform", "DER", "-traditional", "-outform", "DER");
  }

  private static byte[] run(byte[] input, String... words) throws Exception {
    Process process = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    process.getOutputStream().write(input);
    process.getOutputStream().close();
    byte[] output = process.getInputStream().readAllBytes();
    assertEquals(0, process.waitFor(), String.join(" ", words));
    return output;
  }

  private static byte[] sequence(int from, int count) {
    byte[] octets = new byte[count];
    for (int i = 0; i < count; i++) octets[i] = (byte) (from + i);
    return octets;
  }

  private static Map<String, KeyId> importKeys(Sandbox sandbox) throws Exception {
    Map<String, ImportKeyRequest> materials = Map.of(
        "agreement", new ImportKeyRequest().role("agreement").privateKey(der(agreement)), "unwrapping", new ImportKeyRequest().role("unwrapping-rsa").privateKey(der(unwrapping)),
        "signing", new ImportKeyRequest().role("signing-ecdsa").privateKey(der(newKey("EC"))), "tls", new ImportKeyRequest().role("signing-rsa").privateKey(der(newKey("RSA"))),
        "sealing", new ImportKeyRequest().role("sealing").privateKey(sequence(1, 32)), "unsealing", new ImportKeyRequest().role("unsealing").privateKey(sequence(101, 32)),
        "mac", new ImportKeyRequest().role("mac-hmac-sha256").privateKey(sequence(51, 32)), "surrogate", new ImportKeyRequest().role("surrogate").privateKey(sequence(71, 32)),
        "visa", new ImportKeyRequest().role("otp-visa").privateKey(HexFormat.of().parseHex("0123456789abcdeffedcba9876543210")).otp(new OtpParameters().keySet("123456.1")),
        "mastercard", new ImportKeyRequest().role("otp-mastercard").privateKey(der(newKey("RSA"))).otp(new OtpParameters().keyAlias("issuer.1")));
    Map<String, ImportKeyRequest> all = new HashMap<>(materials);
    OtpParameters codes = new OtpParameters().digits(6).hash(OtpHash.SHA1).window(3).failures(3).lockout(60);
    all.put("hotp", new ImportKeyRequest().role("otp-hotp").privateKey("12345678901234567890".getBytes(UTF_8)).otp(codes));
    Map<String, KeyId> ids = new HashMap<>();
    try (Client operator = sandbox.operator()) {
      all.forEach((name, request) -> ids.put(name, new KeyId(operator.importKey(request.label("test/" + name).activate(true)).id())));
    }
    return ids;
  }

  private static RefusedException refused(Status status, Stage stage, Executable call) {
    RefusedException refused = assertThrows(RefusedException.class, call);
    assertEquals(Arrays.asList(status, stage), Arrays.asList(refused.status(), refused.stage()));
    return refused;
  }

  private static byte[] gcm(int mode, byte[] key, byte[] iv, byte[] text, byte[] data) throws Exception {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(128, iv));
    cipher.updateAAD(data);
    return cipher.doFinal(text);
  }

  private static byte[] joined(Object... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (Object part : parts) all.writeBytes(part instanceof byte[] octets ? octets : ((String) part).getBytes(UTF_8));
    return all.toByteArray();
  }

  private static byte[] sha256(Object... parts) throws Exception {
    return MessageDigest.getInstance("SHA-256").digest(joined(parts));
  }

  private static byte[] hmac(byte[] key, String message) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    return mac.doFinal(message.getBytes(UTF_8));
  }

  private static byte[] agreed(PrivateKey own, PublicKey peer) throws Exception {
    KeyAgreement agreement = KeyAgreement.getInstance("ECDH");
    agreement.init(own);
    agreement.doPhase(peer, true);
    return agreement.generateSecret();
  }

  private static byte[] point(KeyPair pair) {
    byte[] spki = pair.getPublic().getEncoded();
    return Arrays.copyOfRange(spki, spki.length - 65, spki.length);
  }

  @Test
  void general() throws Exception {
    client.ping();
    client.ready();
    DescribeReply description = client.describe();
    assertTrue(description.rehearsal() && description.wireVersion() == 1 && description.auditSequence() > 0);
    Map<Long, String> named = new HashMap<>();
    for (OperationDescription each : description.operations()) named.put(each.opcode(), each.name());
    Messages.OPERATIONS.forEach((opcode, name) -> assertEquals(name, named.get(opcode.longValue())));
    for (int count : new int[] {1, 16, 1024}) assertEquals(count, client.random(new RandomRequest().count(count)).random().bytes().length);
    WhoReply who = client.who();
    assertEquals(user(), who.uid());
    assertTrue(who.rights().get(0).operations().contains("who"));
    assertTrue(client.auditDigest(new AuditDigestRequest().field(DigestField.PAN).value(PAN.getBytes(UTF_8))).digest().matches("hmac-sha256:[0-9a-f]{64}"));
    List<String> labels = new ArrayList<>(new TreeSet<>(keys.keySet().stream().map(name -> "test/" + name).toList()));
    assertEquals(labels, client.keys("test/", "").stream().map(KeyDescription::label).toList());
    assertEquals(keys.get("hotp"), client.findKey("test/hotp"));
    assertThrows(SeveralKeysException.class, () -> client.findKey("test/*"));
    assertThrows(NoSuchKeyException.class, () -> client.findKey("test/none"));
    KeyDescription key = client.describeKey(keys.get("agreement"));
    assertEquals(Arrays.asList("test/agreement", "active", "P-256", null), Arrays.asList(key.label(), key.state(), key.algorithm(), key.certificate()));
    assertArrayEquals(key.id(), Arrays.copyOf(sha256(key.publicKey()), 16));
    assertEquals(OtpHash.SHA1, client.describeKey(keys.get("hotp")).otp().hash());
  }

  @Test
  void tokens() {
    for (String version : List.of("EC_v1", "RSA_v1")) {
      PaymentToken token = sandbox.token("--version", version, "--amount", "1499", "--pan", PAN);
      long age = System.currentTimeMillis() / 1000 - client.verifyPaymentToken(null, new VerifyPaymentTokenRequest().token(token)).signingTime();
      assertTrue(Math.abs(age) < 300);
      KeyId key = Token.keyOf(token);
      OpenPaymentTokenRequest lacking = new OpenPaymentTokenRequest().token(token).release(List.of(ReleasedField.LAST4)).required(List.of(ReleasedField.DPAN));
      assertEquals(ReleasedField.DPAN, refused(Status.REJECTED, Stage.NOT_RELEASED, () -> client.openPaymentToken(key, lacking)).releasedField());
      OpenPaymentTokenRequest wanted = new OpenPaymentTokenRequest()
          .token(token).release(List.of(ReleasedField.AMOUNT, ReleasedField.DPAN, ReleasedField.LAST4)).expectedCurrency("840").expectedAmount(1499);
      OpenPaymentTokenReply opened = client.openPaymentToken(key, wanted, CallOptions.options().requestId("order " + version));
      assertEquals(Arrays.asList(PAN, "4320", 1499L, null), Arrays.asList(opened.dpan().text(), opened.last4(), opened.amount(), opened.cryptogram()));
      RefusedException replay = refused(Status.REJECTED, null, () -> client.openPaymentToken(key, new OpenPaymentTokenRequest().token(token)));
      assertTrue(replay.auditSequence() > opened.auditSequence());
      PaymentToken again = sandbox.token("--version", version, "--amount", "0");
      OpenPaymentTokenRequest request = new OpenPaymentTokenRequest().token(again).retryKey(sequence(version.length(), 16));
      for (int i = 0; i < 2; i++) assertEquals(0, client.openPaymentToken(Token.keyOf(again), request).amount());
    }
  }

  @Test
  void passes() throws Exception {
    String asked = sandbox.passRequest();
    List<byte[]> certificates = new ArrayList<>();
    Matcher matcher = Pattern.compile("\"(M[A-Za-z0-9+/=\\\\]+)\"").matcher(asked.substring(asked.indexOf('['), asked.indexOf(']')));
    while (matcher.find()) certificates.add(Base64.getDecoder().decode(matcher.group(1).replace("\\", "")));
    ProvisionPassReply made = client.provisionPass(keys.get("visa"), new ProvisionPassRequest()
        .scheme(EncryptionScheme.EV_ECC_V2).configuration(PassConfiguration.ACCOUNT_NUMBER).certificates(certificates).nonce("nonce".getBytes(UTF_8))
        .nonceSignature("signature".getBytes(UTF_8)).primaryAccountNumber(PAN).expiration("12/30").name("A. Card")
        .visa(new VisaInput().type(VisaType.MBPAC).authenticationCode("abc123")));
    byte[] leaf = run(Files.readAllBytes(sandbox.directory().resolve("pki/provisioning-leaf.key")), "openssl", "pkcs8", "-topk8", "-nocrypt", "-inform", "DER", "-outform", "DER");
    KeyFactory factory = KeyFactory.getInstance("EC");
    byte[] spki = joined(HexFormat.of().parseHex("3059301306072a8648ce3d020106082a8648ce3d030107034200"), made.ephemeralPublicKey());
    byte[] shared = agreed(factory.generatePrivate(new PKCS8EncodedKeySpec(leaf)), factory.generatePublic(new X509EncodedKeySpec(spki)));
    byte[] key = sha256(new byte[] {0, 0, 0, 1}, shared, "\rid-aes256-GCM", "Apple", made.ephemeralPublicKey());
    assertTrue(new String(gcm(Cipher.DECRYPT_MODE, key, new byte[12], made.encryptedPassData(), new byte[0]), UTF_8).contains(PAN));
    assertTrue(new String(made.activationData(), UTF_8).startsWith("MBPAC-1-FK-123456.1--TDEA-"));
    byte[] scalar = new byte[32];
    scalar[31] = 7;
    ProvisionTraceReply trace = client.provisionTrace(
        new ProvisionTraceRequest().recipient(made.ephemeralPublicKey()).ephemeralPrivateKey(scalar).passData("pass data".getBytes(UTF_8)));
    assertEquals(List.of(84, 9 + 16), List.of(trace.otherInfo().length, trace.encryptedPassData().length));
  }

  @Test
  void oneTimeValues() {
    VisaInput input = new VisaInput().type(VisaType.MBPAC).nonce("nonce".getBytes(UTF_8)).authenticationCode("abc123");
    SignOtpReply visa = client.signOtp(keys.get("visa"), new SignOtpRequest().visa(input));
    assertTrue(visa.otp().text().startsWith("MBPAC-1-FK-123456.1--TDEA-"));
    assertNull(visa.counter());
    MastercardInput other = new MastercardInput().version(3).accountNumber(PAN).expiry("1230");
    assertTrue(client.signOtp(keys.get("mastercard"), new SignOtpRequest().mastercard(other)).otp().text().contains("\"signature\""));
    String subject = "person " + System.nanoTime();
    SignOtpReply first = client.signOtp(keys.get("hotp"), new SignOtpRequest().subject(subject));
    assertEquals(List.of(0L, 6), List.of(first.counter(), first.otp().bytes().length));
    VerifyOtpRequest code = new VerifyOtpRequest().subject(subject).code(first.otp().text());
    assertEquals(0, client.verifyOtp(keys.get("hotp"), code).counter());
    refused(Status.REJECTED, Stage.OTP_CODE, () -> client.verifyOtp(keys.get("hotp"), code));
    EnrolAuthenticatorReply enrolled = client.enrolAuthenticator(keys.get("hotp"), new EnrolAuthenticatorRequest().subject(subject).retryKey(new byte[16]));
    assertEquals(List.of(1L, 20, 6L), List.of(enrolled.number(), enrolled.secret().bytes().length, enrolled.otp().digits()));
  }

  @Test
  void agreement() throws Exception {
    KeyPair peer = newKey("EC");
    KeyId key = keys.get("agreement");
    byte[] shared = agreed(peer.getPrivate(), agreement.getPublic());
    assertArrayEquals(shared, client.ecdh(key, new EcdhRequest().peer(point(peer)).release(true)).sharedSecret().bytes());
    byte[] derived = sha256(new byte[] {0, 0, 0, 1}, shared, "\rid-aes256-GCMAppleparty");
    OtherInfo parts = new OtherInfo().algorithmId("\rid-aes256-GCM".getBytes(UTF_8)).partyUInfo("Apple".getBytes(UTF_8)).partyVInfo("party".getBytes(UTF_8));
    KdfRequest request = new KdfRequest().derivation(Derivation.ONE_STEP_SHA256).count(32);
    assertArrayEquals(derived, client.kdf(key, request.handle(handle(peer)).otherInfo(parts).release(true)).derivedKey().bytes());
    refused(Status.DENIED, null, () -> client.kdf(key, request)); // a secret is used up
    byte[] held = client.kdf(key, new KdfRequest().derivation(Derivation.ONE_STEP_SHA256).count(32).handle(handle(peer)).info("\rid-aes256-GCMAppleparty".getBytes(UTF_8))).handle();
    MacRequest message = new MacRequest().handle(held).algorithm(MacAlgorithm.HMAC_SHA256).message("message".getBytes(UTF_8));
    assertArrayEquals(hmac(derived, "message"), client.mac(key, message).mac().bytes());
    byte[] sealed = client.seal(key, new SealRequest().handle(held).plaintext("ours".getBytes(UTF_8)).associatedData("data".getBytes(UTF_8))).sealed();
    byte[] data = joined(Arrays.copyOf(sealed, 29), "data");
    byte[] opened = gcm(Cipher.DECRYPT_MODE, derived, Arrays.copyOfRange(sealed, 17, 29), Arrays.copyOfRange(sealed, 29, sealed.length), data);
    assertArrayEquals("ours".getBytes(UTF_8), opened);
    byte[] theirs = gcm(Cipher.ENCRYPT_MODE, derived, new byte[12], "theirs".getBytes(UTF_8), new byte[0]);
    assertEquals("theirs", client.unseal(key, new UnsealRequest().handle(held).iv(new byte[12]).sealed(theirs)).plaintext().text());
    Cipher oaep = Cipher.getInstance("RSA/ECB/OAEPPadding");
    oaep.init(Cipher.ENCRYPT_MODE, unwrapping.getPublic(), new OAEPParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, PSource.PSpecified.DEFAULT));
    UnwrapReply unwrapped = client.unwrap(keys.get("unwrapping"), new UnwrapRequest().wrappedKey(oaep.doFinal(sequence(1, 32))));
    client.releaseHandle(keys.get("unwrapping"), new ReleaseHandleRequest().handle(unwrapped.handle()));
    refused(Status.DENIED, null, () -> client.releaseHandle(keys.get("unwrapping"), new ReleaseHandleRequest().handle(unwrapped.handle())));
  }

  private static byte[] handle(KeyPair peer) {
    return client.ecdh(keys.get("agreement"), new EcdhRequest().peer(point(peer))).handle();
  }

  @Test
  void sealing() throws Exception {
    for (byte[] plaintext : List.of(new byte[0], "secret".getBytes(UTF_8), new byte[65536])) {
      byte[] sealed = client.seal(keys.get("sealing"), new SealRequest().plaintext(plaintext).associatedData("data".getBytes(UTF_8))).sealed();
      Secret opened = client.unseal(keys.get("sealing"), new UnsealRequest().sealed(sealed).associatedData("data".getBytes(UTF_8))).plaintext();
      assertArrayEquals(plaintext, opened == null ? new byte[0] : opened.bytes());
      refused(Status.REJECTED, Stage.TAG, () -> client.unseal(keys.get("sealing"), new UnsealRequest().sealed(sealed)));
    }
    byte[] theirs = gcm(Cipher.ENCRYPT_MODE, sequence(101, 32), new byte[12], "theirs".getBytes(UTF_8), new byte[0]);
    assertEquals("theirs", client.unseal(keys.get("unsealing"), new UnsealRequest().iv(new byte[12]).sealed(theirs)).plaintext().text());
  }

  @Test
  void signing() throws Exception {
    byte[] message = "message".getBytes(UTF_8);
    SignatureScheme scheme = SignatureScheme.ECDSA_P256_SHA256;
    byte[] signature = client.sign(keys.get("signing"), new SignRequest().scheme(scheme).message(message)).signature();
    Signature verifier = Signature.getInstance("SHA256withECDSA");
    verifier.initVerify(KistProvider.publicKey(client, keys.get("signing")));
    verifier.update(message);
    assertTrue(verifier.verify(signature));
    client.verify(keys.get("signing"), new VerifyRequest().scheme(scheme).message(sha256("message")).digested(true).signature(signature));
    refused(Status.REJECTED, Stage.SIGNATURE, () -> client.verify(keys.get("signing"), new VerifyRequest().scheme(scheme).message(new byte[1]).signature(signature)));
    refused(Status.REJECTED, Stage.PARAMETERS, () -> client.sign(keys.get("signing"), new SignRequest().scheme(SignatureScheme.ED25519).message(message)));
    Secret code = client.mac(keys.get("mac"), new MacRequest().message(message).length(16)).mac();
    assertArrayEquals(Arrays.copyOf(hmac(sequence(51, 32), "message"), 16), code.bytes());
    client.verifyMac(keys.get("mac"), new VerifyMacRequest().message(message).mac(code.bytes()).length(16));
    refused(Status.REJECTED, Stage.MAC, () -> client.verifyMac(keys.get("mac"), new VerifyMacRequest().message(new byte[1]).mac(code.bytes()).length(16)));
  }

  @Test
  void inPlaceOfAPan() {
    String surrogate = client.tokenise(keys.get("surrogate"), new TokeniseRequest().pan(PAN).merchantIdentifier(MERCHANT)).surrogate();
    assertTrue(surrogate.length() == 16 && surrogate.endsWith("4320") && !surrogate.equals(PAN));
    assertEquals(PAN, client.detokenise(keys.get("surrogate"), new DetokeniseRequest().surrogate(surrogate).merchantIdentifier(MERCHANT)).pan().text());
    byte[] transaction = sequence(1, 32);
    byte[] envelope = client.tokenise(keys.get("sealing"), new TokeniseRequest().pan(PAN).merchantIdentifier(MERCHANT).transactionId(transaction).lifetime(60)).envelope();
    OpenEnvelopeRequest request = new OpenEnvelopeRequest().envelope(envelope).merchantIdentifier(MERCHANT).transactionId(transaction);
    assertEquals(PAN, client.openEnvelope(keys.get("sealing"), request, CallOptions.options().retry()).dpan().text());
    refused(Status.REJECTED, Stage.ENVELOPE, () -> client.openEnvelope(keys.get("sealing"), request.transactionId(new byte[32])));
  }

  @Test
  void operators() {
    try (Client operator = sandbox.operator()) {
      StatusReport report = operator.status();
      assertTrue(report.state().equals("serving") && report.auditSize() > 0 && report.auditRoot().length == 32);
      refused(Status.REJECTED, Stage.PASSPHRASE, () -> operator.unlock(new UnlockRequest().passphrase(new byte[] {1})));
    }
    refused(Status.DENIED, null, client::status);
  }

  @Test
  void manyCallsAtOnce() {
    List<CompletableFuture<RandomReply>> answers = IntStream.rangeClosed(1, 200).mapToObj(count -> client.randomAsync(new RandomRequest().count(count))).toList();
    for (int i = 0; i < 200; i++) assertEquals(i + 1, answers.get(i).join().random().bytes().length);
  }

  /** Java's own TLS, server and HTTP client, with the client's key in the daemon. */
  @Test
  void provider() throws Exception {
    Security.addProvider(new KistProvider());
    for (String name : List.of("signing", "tls")) {
      PrivateKey key = KistProvider.privateKey(client, keys.get(name));
      assertNull(key.getEncoded());
      X509Certificate certificate = selfSigned(key, KistProvider.publicKey(client, keys.get(name)));
      certificate.verify(certificate.getPublicKey());
      for (String version : List.of("TLSv1.2", "TLSv1.3")) assertEquals("a service", askedOverTls(new OneKey(key, certificate), certificate, version));
    }
    Signature pss = Signature.getInstance("RSASSA-PSS");
    pss.initSign(KistProvider.privateKey(client, keys.get("tls")));
    pss.setParameter(new PSSParameterSpec("SHA-384", "MGF1", MGF1ParameterSpec.SHA384, 48, 1));
    pss.update((byte) 7);
    assertEquals(256, pss.sign().length);
    assertThrows(java.security.GeneralSecurityException.class, () -> KistProvider.privateKey(client, keys.get("sealing")));
  }

  /** The key store has what signs: a merchant identity key with its certificate, another key with the chain that is set. */
  @Test
  void keyStore() throws Exception {
    Security.addProvider(new KistProvider());
    X509Certificate identity = importIdentity();
    KeyStore store = KeyStore.getInstance("Kist");
    store.load(new KistProvider.Keys(client));
    assertEquals(List.of("test/identity", "test/signing", "test/tls"), Collections.list(store.aliases()));
    assertEquals(identity, store.getCertificate("test/identity"));
    assertEquals(Arrays.asList("test/identity", null), Arrays.asList(store.getCertificateAlias(identity), store.getCertificateAlias(rootCertificate())));
    assertTrue(store.isKeyEntry("test/tls") && store.getCertificateChain("test/tls") == null && store.getCreationDate("test/tls").getTime() > 0);
    assertTrue(store.size() == 3 && store.containsAlias("test/tls") && !store.containsAlias("test/sealing") && !store.isCertificateEntry("test/tls"));
    assertTrue(store.getKey("test/sealing", null) == null && store.getCertificate("test/sealing") == null && store.getCreationDate("test/sealing") == null);
    PrivateKey key = (PrivateKey) store.getKey("test/tls", new char[0]);
    X509Certificate certificate = selfSigned(key, KistProvider.publicKey(client, keys.get("tls")));
    store.setKeyEntry("test/tls", key, null, new X509Certificate[] {certificate});
    KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
    managers.init(store, null);
    for (String version : List.of("TLSv1.2", "TLSv1.3")) assertEquals("a service", askedOverTls(managers.getKeyManagers()[0], certificate, version));
    for (Executable wrong : List.<Executable>of(
        () -> store.setKeyEntry("test/tls", key, null, new X509Certificate[] {identity}),
        () -> store.setKeyEntry("test/signing", key, null, new X509Certificate[] {certificate}), () -> store.setKeyEntry("test/new", key, null, new X509Certificate[] {certificate}),
        () -> store.setKeyEntry("test/tls", newKey("RSA").getPrivate(), null, new X509Certificate[] {certificate}), () -> store.setKeyEntry("test/tls", new byte[1], null),
        () -> store.setCertificateEntry("test/tls", certificate), () -> store.deleteEntry("test/tls"))) {
      assertThrows(KeyStoreException.class, wrong);
    }
    assertEquals(certificate, store.getCertificate("test/tls"));
    assertThrows(UnsupportedOperationException.class, () -> store.store(new ByteArrayOutputStream(), null));
    assertThrows(IllegalArgumentException.class, () -> store.load(InputStream.nullInputStream(), null));
    assertThrows(IllegalArgumentException.class, () -> store.load(() -> null));
  }

  private static X509Certificate rootCertificate() throws Exception {
    byte[] octets = Files.readAllBytes(sandbox.directory().resolve("pki/root.cer"));
    return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(octets));
  }

  /** A key as Apple certifies a merchant's identity: the merchant in the subject, and its hash in an extension. */
  private static X509Certificate importIdentity() throws Exception {
    byte[] der = run(Files.readAllBytes(sandbox.directory().resolve("pki/root.key")), "openssl", "pkcs8", "-topk8", "-nocrypt", "-inform", "DER", "-outform", "DER");
    PrivateKey root = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der));
    String digits = HexFormat.of().withUpperCase().formatHex(sha256(MERCHANT.getBytes(UTF_8)));
    byte[] extension = der(0x30, joined(HexFormat.of().parseHex("06092a864886f763640620"), der(4, der(0x0C, digits.getBytes(UTF_8)))));
    byte[] user = der(0x31, der(0x30, joined(HexFormat.of().parseHex("060a0992268993f22c640101"), der(0x0C, MERCHANT.getBytes(UTF_8)))));
    byte[] subject = der(0x30, joined(user, commonName("Apple Pay Merchant Identity:" + MERCHANT)));
    KeyPair pair = newKey("RSA");
    X509Certificate made = signed(root, true, rootCertificate().getSubjectX500Principal().getEncoded(), subject, pair.getPublic(), der(0xA3, der(0x30, extension)));
    ImportKeyRequest request = new ImportKeyRequest().role("merchant-identity-rsa").privateKey(der(pair)).certificate(made.getEncoded());
    try (Client operator = sandbox.operator()) {
      operator.importKey(request.label("test/identity").merchantIdentifier(MERCHANT).activate(true));
    }
    return made;
  }

  private static byte[] commonName(String name) {
    return der(0x31, der(0x30, joined(new byte[] {6, 3, 0x55, 4, 3}, der(0x0C, name.getBytes(UTF_8)))));
  }

  /** The least that is a certificate, signed in the daemon. */
  private static X509Certificate selfSigned(PrivateKey key, PublicKey publicKey) throws Exception {
    byte[] name = der(0x30, commonName("a service"));
    return signed(key, publicKey instanceof ECPublicKey, name, name, publicKey, new byte[0]);
  }

  private static X509Certificate signed(PrivateKey key, boolean isEc, byte[] issuer, byte[] subject, PublicKey publicKey, byte[] extensions) throws Exception {
    byte[] algorithm = HexFormat.of().parseHex(isEc ? "300a06082a8648ce3d040302" : "300d06092a864886f70d01010b0500");
    byte[] validity = der(0x30, joined(der(0x17, "200101000000Z".getBytes(UTF_8)), der(0x17, "490101000000Z".getBytes(UTF_8))));
    byte[] version = extensions.length == 0 ? new byte[0] : der(0xA0, new byte[] {2, 1, 2});
    byte[] content = der(0x30, joined(version, new byte[] {2, 1, 1}, algorithm, issuer, validity, subject, publicKey.getEncoded(), extensions));
    Signature signature = Signature.getInstance(isEc ? "SHA256withECDSA" : "SHA256withRSA");
    signature.initSign(key);
    signature.update(content);
    byte[] whole = der(0x30, joined(content, algorithm, der(3, joined(new byte[1], signature.sign()))));
    return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(whole));
  }

  private static byte[] der(int tag, byte[] content) {
    int size = content.length;
    byte[] length = size < 0x80 ? new byte[] {(byte) size} : size < 0x100 ? new byte[] {(byte) 0x81, (byte) size} : new byte[] {(byte) 0x82, (byte) (size >> 8), (byte) size};
    return joined(new byte[] {(byte) tag}, length, content);
  }

  /** What a server answers that asks for a certificate, and says whose it saw. */
  private static String askedOverTls(KeyManager client, X509Certificate certificate, String version) throws Exception {
    Path store = Files.createTempFile("kist", ".p12");
    Files.delete(store);
    run(new byte[0], "keytool", "-genkeypair", "-alias", "s", "-keyalg", "EC", "-dname", "CN=localhost", "-ext", "san=dns:localhost", "-keystore", store.toString(), "-storepass", "secret");
    KeyStore own = KeyStore.getInstance(store.toFile(), "secret".toCharArray());
    Files.delete(store);
    KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
    managers.init(own, "secret".toCharArray());
    SSLContext serverContext = SSLContext.getInstance("TLS");
    serverContext.init(managers.getKeyManagers(), trusting(certificate), null);
    com.sun.net.httpserver.HttpsServer server = com.sun.net.httpserver.HttpsServer.create(new java.net.InetSocketAddress("localhost", 0), 0);
    server.setHttpsConfigurator(new com.sun.net.httpserver.HttpsConfigurator(serverContext) {
      @Override
      public void configure(com.sun.net.httpserver.HttpsParameters parameters) {
        SSLParameters needed = serverContext.getDefaultSSLParameters();
        needed.setNeedClientAuth(true);
        needed.setProtocols(new String[] {version});
        parameters.setSSLParameters(needed);
      }
    });
    server.createContext("/", exchange -> {
      String peer = ((com.sun.net.httpserver.HttpsExchange) exchange).getSSLSession().getPeerPrincipal().getName().replace("CN=", "");
      exchange.sendResponseHeaders(200, peer.length());
      exchange.getResponseBody().write(peer.getBytes(UTF_8));
      exchange.close();
    });
    server.start();
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(new KeyManager[] {client}, trusting((X509Certificate) own.getCertificate("s")), null);
      HttpRequest request = HttpRequest.newBuilder(URI.create("https://localhost:" + server.getAddress().getPort() + "/")).build();
      return HttpClient.newBuilder().sslContext(context).build().send(request, HttpResponse.BodyHandlers.ofString()).body();
    } finally {
      server.stop(0);
    }
  }

  private static javax.net.ssl.TrustManager[] trusting(X509Certificate certificate) throws Exception {
    KeyStore roots = KeyStore.getInstance(KeyStore.getDefaultType());
    roots.load(null, null);
    roots.setCertificateEntry("c", certificate);
    TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
    factory.init(roots);
    return factory.getTrustManagers();
  }

  private static final class OneKey extends X509ExtendedKeyManager {
    private final PrivateKey key;
    private final X509Certificate certificate;

    OneKey(PrivateKey key, X509Certificate certificate) {
      this.key = key;
      this.certificate = certificate;
    }

    @Override
    public String[] getClientAliases(String type, java.security.Principal[] issuers) {
      return new String[] {"k"};
    }

    @Override
    public String chooseClientAlias(String[] types, java.security.Principal[] issuers, java.net.Socket socket) {
      return Arrays.asList(types).contains(key.getAlgorithm()) ? "k" : null;
    }

    @Override
    public String chooseEngineClientAlias(String[] types, java.security.Principal[] issuers, javax.net.ssl.SSLEngine engine) {
      return chooseClientAlias(types, issuers, null);
    }

    @Override
    public String[] getServerAliases(String type, java.security.Principal[] issuers) {
      return null;
    }

    @Override
    public String chooseServerAlias(String type, java.security.Principal[] issuers, java.net.Socket socket) {
      return null;
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
      return new X509Certificate[] {certificate};
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
      return key;
    }
  }

  @Test
  void statuses() throws Exception {
    try (Sandbox other = new Sandbox(program(), "", policy()); Client own = other.client(); Client operator = other.operator()) {
      Map<String, KeyId> ids = importKeys(other);
      refused(Status.DENIED, null, () -> own.describeKey(new KeyId(new byte[16])));
      EcdhRequest peer = new EcdhRequest().peer(point(newKey("EC")));
      for (int i = 0; i < 16; i++) own.ecdh(ids.get("agreement"), peer);
      assertEquals(1000, refused(Status.BUSY, null, () -> own.ecdh(ids.get("agreement"), peer)).retryAfter());
      assertEquals(Status.UNSUPPORTED.number(), raw(other, Frames.request(0x0999, 1, null, new byte[0])));
      assertEquals(Status.MALFORMED.number(), raw(other, Frames.request(0x0005, 1, null, new byte[] {8, 0})));
      operator.lock();
      refused(Status.LOCKED, null, () -> own.random(new RandomRequest().count(1)));
      refused(Status.LOCKED, null, own::ready);
      assertEquals("locked", operator.status().state());
    }
  }

  private static int raw(Sandbox other, byte[] frame) throws Exception {
    try (SocketChannel socket = SocketChannel.open(UnixDomainSocketAddress.of(other.directory() + "/run/kist.sock"))) {
      socket.write(ByteBuffer.wrap(frame));
      ByteBuffer reply = ByteBuffer.allocate(24);
      while (reply.hasRemaining()) socket.read(reply);
      return reply.get(5);
    }
  }

  @Test
  void killedAndStartedAgain() throws Exception {
    try (Sandbox other = new Sandbox(program(), "", policy()); Client own = other.client()) {
      List<CompletableFuture<RandomReply>> answers = IntStream.range(0, 3000).mapToObj(i -> own.randomAsync(new RandomRequest().count(16))).toList();
      answers.get(100).join();
      other.kill();
      int good = 0;
      for (CompletableFuture<RandomReply> answer : answers) {
        try {
          assertNotNull(answer.join());
          good++;
        } catch (CompletionException error) {
          assertTrue(error.getCause() instanceof DisconnectedException || error.getCause() instanceof UnreachableException, error.toString());
        }
      }
      assertTrue(good > 100 && good < 3000, "good: " + good);
      assertThrows(UnreachableException.class, own::ping);
      other.start();
      assertEquals(16, own.random(new RandomRequest().count(16)).random().bytes().length);
      try (Stream<Path> segments = Files.list(other.directory().resolve("audit"))) {
        for (Path segment : segments.filter(path -> path.toString().endsWith(".log")).toList()) Files.delete(segment);
      }
      refused(Status.AUDIT_UNAVAILABLE, null, () -> own.random(new RandomRequest().count(1)));
      refused(Status.AUDIT_UNAVAILABLE, null, own::ready);
    }
  }

  @Test
  void sandboxThatCannotBeMade() {
    assertTrue(assertThrows(IllegalStateException.class, () -> new Sandbox("/nowhere/kist", "", "")).getMessage().endsWith("give program, or set KIST_PROGRAM"));
    assertInstanceOf(IllegalStateException.class, assertThrows(IllegalStateException.class, () -> new Sandbox(program(), "", "[[grant]]\nid = 5\n")));
  }

  @Test
  void sandboxThatCannotBeMadeLeavesNothing() throws Exception {
    Path program = Files.createTempFile("kist", "");
    Files.writeString(program, "#!/bin/sh\nfor last; do :; done; echo \"$last\" >&2; exit 1\n");
    assertTrue(program.toFile().setExecutable(true));
    try {
      Path box = Path.of(assertThrows(IllegalStateException.class, () -> new Sandbox(program.toString(), "", "# none")).getMessage());
      assertEquals("box", box.getFileName().toString());
      assertFalse(Files.exists(box.getParent()));
    } finally {
      Files.delete(program);
    }
  }
}
