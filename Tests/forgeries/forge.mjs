// Makes payment tokens that a verifier has to refuse, each wrong in one way, beside a genuine one, out of a sandbox.
//
// Usage: forge.mjs KIST SANDBOX FOLDER. It writes NAME.json for each, the names in `order`, in which they are to be opened, and certificate.pem and key.pem of the merchant,
// for libraries that open tokens themselves.
// None of the forgeries needs the merchant's private key, but for the place of the amount in the first one, which anybody can count: Apple's JSON has one order.

import { execFileSync } from "node:child_process";
import * as crypto from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [, , program, sandbox, folder] = process.argv;
const work = join(folder, "work");
mkdirSync(work, { recursive: true });

const run = (command, ...words) => execFileSync(command, words, { stdio: ["ignore", "pipe", "pipe"] });
const token = (...options) => JSON.parse(run(program, "sandbox", "token", "--dir", sandbox, ...options));
const write = (name, made) => writeFileSync(join(folder, `${name}.json`), JSON.stringify(made, null, 1));

const certificate = new crypto.X509Certificate(readFileSync(join(sandbox, "pki/sandbox-processing-ec.cer")));
const key = crypto.createPrivateKey({ key: readFileSync(join(sandbox, "pki/sandbox-processing-ec.key")), format: "der", type: "sec1" });
writeFileSync(join(folder, "certificate.pem"), certificate.toString());
writeFileSync(join(folder, "key.pem"), key.export({ type: "sec1", format: "pem" }), { mode: 0o600 });

/** AES-256-GCM's key, SP 800-56A r1 §5.8.1 as Apple fills it. */
function contentKey(privateKey, publicKey) {
  const shared = crypto.diffieHellman({ privateKey, publicKey });
  const identifier = certificate.raw.indexOf(Buffer.from("06092a864886f763640620", "hex")) + 11;
  // The extension has the SHA-256 of the merchant identifier as 64 hexadecimal digits, the last ones in it.
  const size = certificate.raw[identifier + 1];
  const merchant = Buffer.from(certificate.raw.subarray(identifier + 2 + size - 64, identifier + 2 + size).toString(), "hex");
  return crypto.createHash("sha256").update(Buffer.concat([Buffer.of(0, 0, 0, 1), shared, Buffer.from("\x0did-aes256-GCMApple"), merchant])).digest();
}

/** A token that anybody can make who has the merchant's certificate; `sign` gives its signature. */
function homemade(sign) {
  const pair = crypto.generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const cipher = crypto.createCipheriv("aes-256-gcm", contentKey(pair.privateKey, certificate.publicKey), Buffer.alloc(16));
  const payment = {
    applicationPrimaryAccountNumber: "4109370251004320",
    applicationExpirationDate: "301231",
    currencyCode: "840",
    transactionAmount: 1499,
    deviceManufacturerIdentifier: "040010030273",
    paymentDataType: "3DSecure",
    paymentData: { onlinePaymentCryptogram: "Af9x/QwAA/DjmU65oyc1MAABAAA=", eciIndicator: "5" },
  };
  const data = Buffer.concat([cipher.update(JSON.stringify(payment)), cipher.final(), cipher.getAuthTag()]);
  const ephemeral = pair.publicKey.export({ type: "spki", format: "der" });
  const transaction = crypto.randomBytes(32);
  return {
    version: "EC_v1",
    data: data.toString("base64"),
    signature: sign(Buffer.concat([ephemeral, data, transaction])).toString("base64"),
    header: {
      ephemeralPublicKey: ephemeral.toString("base64"),
      publicKeyHash: crypto.createHash("sha256").update(certificate.publicKey.export({ type: "spki", format: "der" })).digest("base64"),
      transactionId: transaction.toString("hex"),
    },
  };
}

/** A certificate; `marker` is Apple's extension that says what it is for, `issuer` is null for one that signs itself. */
function certify(name, subject, marker, issuer, isAuthority) {
  const [keyFile, file, extensions] = ["key", "pem", "ext"].map((end) => join(work, `${name}.${end}`));
  run("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", keyFile);
  const lines = [`basicConstraints=critical,CA:${isAuthority ? "TRUE" : "FALSE"}`, `keyUsage=critical,${isAuthority ? "keyCertSign" : "digitalSignature"}`];
  if (marker) lines.push(`${marker}=DER:05:00`);
  writeFileSync(extensions, lines.join("\n"));
  const request = join(work, `${name}.csr`);
  run("openssl", "req", "-new", "-key", keyFile, "-subj", subject, "-out", request);
  const by = issuer ? ["-CA", join(work, `${issuer}.pem`), "-CAkey", join(work, `${issuer}.key`), "-CAcreateserial"] : ["-signkey", keyFile];
  run("openssl", "x509", "-req", "-in", request, ...by, "-days", "30", "-sha256", "-extfile", extensions, "-out", file);
  return file;
}

/** Signs as Apple does, with a leaf of one's own and the certificates above it. */
function signedBy(leaf, ...others) {
  return (message) => {
    const file = join(work, "message");
    writeFileSync(file, message);
    writeFileSync(join(work, "others.pem"), others.map((other) => readFileSync(join(work, `${other}.pem`), "utf8")).join(""));
    const words = ["-binary", "-md", "sha256", "-nosmimecap", "-outform", "DER", "-in", file, "-signer", join(work, `${leaf}.pem`)];
    return run("openssl", "cms", "-sign", ...words, "-inkey", join(work, `${leaf}.key`), "-certfile", join(work, "others.pem"));
  };
}

const LEAF = "1.2.840.113635.100.6.29";
const INTERMEDIATE = "1.2.840.113635.100.6.2.14";
const [leafName, intermediateName, rootName] = ["leaf-ec", "intermediate", "root"].map((name) => {
  const { subject } = new crypto.X509Certificate(readFileSync(join(sandbox, `pki/${name}.cer`)));
  return `/${subject.split("\n").join("/")}`;
});

const order = ["genuine", "genuine", "altered-amount", "without-apple", "application-data", "self-made-intermediate", "test-root", "stale"];
writeFileSync(join(folder, "order"), order.join("\n"));

const genuine = token("--amount", "1499");
write("genuine", genuine);
write("stale", token("--amount", "1499", "--stale"));

// One digit of the amount, 1 of 1499, becomes 9: GCM without its tag is a stream cipher.
const altered = structuredClone(genuine);
const data = Buffer.from(genuine.data, "base64");
const ephemeral = crypto.createPublicKey({ key: Buffer.from(genuine.header.ephemeralPublicKey, "base64"), format: "der", type: "spki" });
const decipher = crypto.createDecipheriv("aes-256-gcm", contentKey(key, ephemeral), Buffer.alloc(16));
const place = decipher.update(data.subarray(0, -16)).indexOf('"transactionAmount":1499') + '"transactionAmount":'.length;
data[place] ^= "1".charCodeAt(0) ^ "9".charCodeAt(0);
altered.data = data.toString("base64");
write("altered-amount", altered);

const borrowed = () => Buffer.from(genuine.signature, "base64");
write("without-apple", homemade(borrowed));
const applied = homemade(borrowed);
applied.header.applicationData = crypto.randomBytes(32).toString("hex");
write("application-data", applied);

certify("self-intermediate", intermediateName, INTERMEDIATE, null, true);
certify("self-leaf", leafName, LEAF, "self-intermediate", false);
write("self-made-intermediate", homemade(signedBy("self-leaf", "self-intermediate")));

certify("test-root", rootName, null, null, true);
certify("test-intermediate", intermediateName, INTERMEDIATE, "test-root", true);
certify("test-leaf", leafName, LEAF, "test-intermediate", false);
write("test-root", homemade(signedBy("test-leaf", "test-intermediate")));

rmSync(work, { recursive: true });
